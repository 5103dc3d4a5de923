package io.idembox.effect;

/** The effect is done, and its stored receipt does not fit the type that the caller wants. */
public final class EffectReceiptUnreadableException extends EffectReceiptException {
  private static final long serialVersionUID = 1L;

  EffectReceiptUnreadableException(
      EffectKey key, String shown, String effect, Class<?> wanted, Throwable cause) {
    super(
        key,
        "Effect %s (%s) is done, but its receipt cannot be read as %s: %s"
            .formatted(shown, effect, wanted.getName(), cause.getMessage()),
        cause);
  }
}
