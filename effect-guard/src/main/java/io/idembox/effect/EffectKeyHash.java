package io.idembox.effect;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The identity of an effect inside a namespace: SHA-256 over the namespace, with its length, and
 * the canonical key.
 *
 * <p>Immutable and safe for use by any thread.
 */
public final class EffectKeyHash {
  /** The length of {@link #bytes()}. */
  public static final int LENGTH = 32;

  /** Never fed: cloning it is several times faster than looking the algorithm up. */
  private static final MessageDigest SHA256 = prototype();

  private final byte[] bytes;

  private EffectKeyHash(byte[] bytes) {
    this.bytes = bytes;
  }

  static EffectKeyHash of(String namespace, byte[] canonical) {
    return of(fed(namespace), canonical);
  }

  /** The digest of a namespace, to which a key is added by {@link #of(MessageDigest, byte[])}. */
  static MessageDigest fed(String namespace) {
    byte[] name = EffectKey.checked("namespace", namespace).getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream prefix = new ByteArrayOutputStream(5);
    CanonicalKey.number(prefix, name.length);
    MessageDigest sha = sha256();
    sha.update(prefix.toByteArray());
    sha.update(name);
    return sha;
  }

  /** Uses the digest up. */
  static EffectKeyHash of(MessageDigest fed, byte[] canonical) {
    return new EffectKeyHash(fed.digest(canonical));
  }

  /**
   * Reads back what {@link #bytes()} gave.
   *
   * @throws IllegalArgumentException if there are not 32 bytes
   */
  public static EffectKeyHash ofBytes(byte[] bytes) {
    if (bytes.length != LENGTH) {
      throw new IllegalArgumentException(
          "EffectKeyHash has " + bytes.length + " bytes instead of " + LENGTH);
    }
    return new EffectKeyHash(bytes.clone());
  }

  /** A copy. */
  public byte[] bytes() {
    return bytes.clone();
  }

  byte[] raw() {
    return bytes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EffectKeyHash hash && Arrays.equals(bytes, hash.bytes);
  }

  @Override
  public int hashCode() {
    return ByteBuffer.wrap(bytes).getInt();
  }

  /** 64 lower-case hexadecimal digits. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }

  static MessageDigest sha256() {
    return copy(SHA256);
  }

  static MessageDigest copy(MessageDigest digest) {
    try {
      return (MessageDigest) digest.clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError("the platform's SHA-256 can be cloned", e);
    }
  }

  private static MessageDigest prototype() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
