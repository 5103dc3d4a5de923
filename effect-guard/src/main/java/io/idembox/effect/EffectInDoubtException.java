package io.idembox.effect;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Nobody knows whether the effect happened: an attempt died, timed out or failed in a way that says
 * nothing. The cause, if there is one, is what this call's own attempt threw.
 */
public final class EffectInDoubtException extends EffectException {
  private static final long serialVersionUID = 1L;
  // Not serializable, and not worth being so: a copy of the exception keeps its message.
  private final transient EffectKey key;
  private final Instant since;

  EffectInDoubtException(EffectKey key, String shown, Instant since, @Nullable Throwable cause) {
    super(
        "Effect %s is in doubt since %s: its outcome is unknown until it is tried again, resolved or settled by a person"
            .formatted(shown, since),
        cause);
    this.key = key;
    this.since = since;
  }

  public EffectKey key() {
    return key;
  }

  public Instant since() {
    return since;
  }
}
