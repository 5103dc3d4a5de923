package io.idembox.effect;

/**
 * The effect is done, and its receipt was not kept: it was over the cap or could not be encoded.
 */
public final class EffectReceiptNotKeptException extends EffectReceiptException {
  private static final long serialVersionUID = 1L;

  EffectReceiptNotKeptException(EffectKey key, String shown, String effect) {
    super(
        key,
        "Effect %s (%s) is done, but its receipt was not kept: it was over the policy's cap or could not be encoded"
            .formatted(shown, effect),
        null);
  }
}
