package io.idembox.effect;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Tells one claim from all others: 128 random bits, fresh for each. Immutable. */
public final class EffectToken {
  /** The length of {@link #bytes()}. */
  public static final int LENGTH = 16;

  private static final int DRAWN_AT_ONCE = 256;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static byte[] drawn = {};
  private static int used;

  private final byte[] bytes;

  private EffectToken(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Random bytes of the platform's generator, which are drawn for many tokens at once: a draw costs
   * a system call.
   */
  public static synchronized EffectToken fresh() {
    if (used == drawn.length) {
      byte[] more = new byte[DRAWN_AT_ONCE * LENGTH];
      RANDOM.nextBytes(more);
      drawn = more;
      used = 0;
    }
    byte[] bytes = Arrays.copyOfRange(drawn, used, used + LENGTH);
    used += LENGTH;
    return new EffectToken(bytes);
  }

  /**
   * Reads back what {@link #bytes()} gave.
   *
   * @throws IllegalArgumentException if there are not 16 bytes
   */
  public static EffectToken ofBytes(byte[] bytes) {
    if (bytes.length != LENGTH) {
      throw new IllegalArgumentException(
          "EffectToken has " + bytes.length + " bytes instead of " + LENGTH);
    }
    return new EffectToken(bytes.clone());
  }

  /** A copy. */
  public byte[] bytes() {
    return bytes.clone();
  }

  byte[] raw() {
    return bytes;
  }

  /**
   * The first four bytes: what a settled record keeps, enough to know one's own completion after a
   * lost answer.
   */
  int mark() {
    return ByteBuffer.wrap(bytes).getInt();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EffectToken token && Arrays.equals(bytes, token.bytes);
  }

  @Override
  public int hashCode() {
    return mark();
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
