package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * What a finished effect left: encoded bytes, and the value, decoded only when asked for.
 *
 * <p>Immutable and safe for use by any thread, as far as the value is.
 */
public final class Receipt<R> {
  private static final byte[] NONE = {};

  private final boolean kept;
  private final byte[] bytes;
  private final Reader<R> reader;

  private Receipt(boolean kept, byte[] bytes, Reader<R> reader) {
    this.kept = kept;
    this.bytes = bytes;
    this.reader = reader;
  }

  /** Gives the value, or throws the reason why not. */
  @FunctionalInterface
  interface Reader<R> {
    @Nullable R read(byte[] bytes);
  }

  static <R> Receipt<R> performed(@Nullable R value, byte @Nullable [] bytes) {
    return new Receipt<>(bytes != null, bytes == null ? NONE : bytes, b -> value);
  }

  static <R> Receipt<R> stored(boolean kept, byte[] bytes, Reader<R> reader) {
    return new Receipt<>(kept, kept ? bytes : NONE, reader);
  }

  /** Whether the store has it. If not, the effect is done all the same. */
  public boolean kept() {
    return kept;
  }

  /** A copy of the encoded form; empty if not kept. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /**
   * The value; after a run of this call's own, what the code returned, kept or not.
   *
   * @throws EffectReceiptNotKeptException if an earlier call's receipt was not kept
   * @throws EffectReceiptUnreadableException if it cannot be decoded
   */
  public @Nullable R value() {
    return reader.read(bytes);
  }

  @Override
  public String toString() {
    return kept ? "receipt of " + bytes.length + " bytes" : "receipt not kept";
  }
}
