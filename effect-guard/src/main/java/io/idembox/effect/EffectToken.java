package io.idembox.effect;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Tells one claim from all others: 128 bits, fresh for each, from a random start. No secret.
 * Immutable.
 */
public final class EffectToken {
  /** The length of {@link #bytes()}. */
  public static final int LENGTH = 16;

  private static final int FROM_ONE_DRAW = 256;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static long high;
  private static long low;
  private static int left;

  private final byte[] bytes;

  private EffectToken(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * From the platform's generator, which is asked once for many tokens, because a draw costs as
   * much as the rest of a claim: the low half counts, so that no two of a draw are equal, and the
   * high half is mixed, so that its first bytes tell them apart too.
   */
  public static synchronized EffectToken fresh() {
    if (left == 0) {
      high = RANDOM.nextLong();
      low = RANDOM.nextLong();
      left = FROM_ONE_DRAW;
    }
    left--;
    low++;
    return new EffectToken(
        ByteBuffer.allocate(LENGTH).putLong(high ^ mixed(low)).putLong(low).array());
  }

  /** The finishing step of MurmurHash3: one to one, and each bit of the input moves half of all. */
  private static long mixed(long value) {
    long z = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
    z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return z ^ (z >>> 33);
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
