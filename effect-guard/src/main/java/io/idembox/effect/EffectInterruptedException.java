package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * The calling thread was interrupted before the effect had started; its interrupt flag is set.
 * Nothing ran.
 */
public final class EffectInterruptedException extends EffectException {
  private static final long serialVersionUID = 1L;

  EffectInterruptedException(String shown, @Nullable InterruptedException cause) {
    super("Interrupted before effect " + shown + " had started: nothing ran", cause);
  }
}
