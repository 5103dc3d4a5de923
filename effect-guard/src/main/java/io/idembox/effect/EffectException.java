package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/** The root of what the guard throws. */
public abstract class EffectException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EffectException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
