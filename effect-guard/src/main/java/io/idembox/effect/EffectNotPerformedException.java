package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by effect code to say that the effect surely did not happen: the provider was not reached,
 * or said "try later". The key is free again, and the effect may be tried again at once. Never
 * throw it on a time-out.
 */
public final class EffectNotPerformedException extends EffectException {
  private static final long serialVersionUID = 1L;

  private final boolean ofAnother;

  public EffectNotPerformedException(String message) {
    this(message, null);
  }

  public EffectNotPerformedException(String message, @Nullable Throwable cause) {
    super(message, cause);
    this.ofAnother = false;
  }

  /** As another effect's call gave it to this effect's code. */
  EffectNotPerformedException(EffectNotPerformedException other) {
    super(String.valueOf(other.getMessage()), other);
    this.ofAnother = true;
  }

  /** Whether it tells of another effect, and so nothing of the one whose code lets it through. */
  boolean ofAnother() {
    return ofAnother;
  }
}
