package io.idembox.effect;

/**
 * The key's record in the store is damaged, or of a format that a newer release wrote. It counts as
 * held: the effect does not run.
 */
public final class EffectRecordUnreadableException extends EffectException {
  private static final long serialVersionUID = 1L;
  // Not serializable, and not worth being so: a copy of the exception keeps its message.
  private final transient EffectKey key;

  EffectRecordUnreadableException(EffectKey key, String shown, String what) {
    super(
        ("Effect %s has a record that this release cannot read (%s), which counts as held: use the release that wrote it,"
                + " or forget the key once you know the outcome")
            .formatted(shown, what),
        null);
    this.key = key;
  }

  public EffectKey key() {
    return key;
  }
}
