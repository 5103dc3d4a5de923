package io.idembox.effect;

/** The key was used before with another request. Nothing ran in this call. */
public final class EffectMismatchException extends EffectException {
  private static final long serialVersionUID = 1L;
  // Not serializable, and not worth being so: a copy of the exception keeps its message.
  private final transient EffectKey key;

  EffectMismatchException(EffectKey key, String shown) {
    super(
        ("Effect %s was asked for with another request before: put what differs into the key if it is another effect, or"
                + " set fingerprint IGNORE")
            .formatted(shown),
        null);
    this.key = key;
  }

  public EffectKey key() {
    return key;
  }
}
