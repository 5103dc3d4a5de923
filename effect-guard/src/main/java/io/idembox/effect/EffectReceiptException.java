package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/** The effect is done, but its receipt cannot be had. It is never run again for that reason. */
public abstract class EffectReceiptException extends EffectException {
  private static final long serialVersionUID = 1L;
  // Not serializable, and not worth being so: a copy of the exception keeps its message.
  private final transient EffectKey key;

  EffectReceiptException(EffectKey key, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.key = key;
  }

  public EffectKey key() {
    return key;
  }
}
