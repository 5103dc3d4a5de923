package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by effect code to say that the effect surely did not happen: the provider was not reached,
 * or said "try later". The key is free again, and the effect may be tried again at once. Never
 * throw it on a time-out.
 */
public final class EffectNotPerformedException extends EffectException {
  private static final long serialVersionUID = 1L;

  public EffectNotPerformedException(String message) {
    super(message, null);
  }

  public EffectNotPerformedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
