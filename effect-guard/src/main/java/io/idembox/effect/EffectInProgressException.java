package io.idembox.effect;

import java.time.Duration;

/** Another caller holds the key. Nothing ran in this call; try again later. */
public final class EffectInProgressException extends EffectException {
  private static final long serialVersionUID = 1L;
  // Not serializable, and not worth being so: a copy of the exception keeps its message.
  private final transient EffectKey key;
  private final String owner;
  private final Duration leaseRemaining;

  EffectInProgressException(EffectKey key, String shown, String owner, Duration leaseRemaining) {
    super(
        "Effect %s is in progress at %s, whose lease holds for another %d ms: try again later"
            .formatted(shown, owner, leaseRemaining.toMillis()),
        null);
    this.key = key;
    this.owner = owner;
    this.leaseRemaining = leaseRemaining;
  }

  public EffectKey key() {
    return key;
  }

  /** The holder's label. */
  public String owner() {
    return owner;
  }

  public Duration leaseRemaining() {
    return leaseRemaining;
  }
}
