package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectInDoubtException;
import io.idembox.effect.EffectKey;

/**
 * An effect that a handler needs through {@code once} has an unknown outcome, and its policy leaves
 * that to a person. No attempt of the message can succeed before the effect is settled.
 */
public final class EffectHeldException extends InboxException {
  private static final long serialVersionUID = 1L;
  // Not serializable, and not worth being so: a copy of the exception keeps its message.
  private final transient EffectKey key;

  EffectHeldException(EffectKey key, EffectInDoubtException cause) {
    super(requireNonNull(cause.getMessage(), "message"), cause);
    this.key = key;
  }

  /** The effect that waits. */
  public EffectKey key() {
    return key;
  }
}
