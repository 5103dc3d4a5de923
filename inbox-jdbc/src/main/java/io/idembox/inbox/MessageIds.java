package io.idembox.inbox;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes the 16 bytes of an identity. Their version and variant bits say of which kind it is. */
final class MessageIds {
  /** Per thread: an instance costs more than the hash, and is not thread-safe. */
  private static final ThreadLocal<MessageDigest> SHA_256 =
      ThreadLocal.withInitial(MessageIds::sha256);

  private static final int UUID_TEXT_LENGTH = 36;

  private MessageIds() {}

  /** What is hashed starts with its kind, so that no id of one kind equals one of another. */
  enum Hashed {
    TOPIC_SCOPED(1),
    CONSUMER_SCOPED(2),
    CLOUD_EVENT(3),
    PARTITION(4);

    private final byte code;

    Hashed(int code) {
      this.code = (byte) code;
    }
  }

  /**
   * The UUID that a text spells, if it is one of RFC 9562 versions 1 to 7 in the usual form of 36
   * characters (hexadecimal digits in either case, which the RFC reads as the same); else null.
   */
  static @Nullable UUID canonical(byte[] text) {
    if (text.length != UUID_TEXT_LENGTH) {
      return null;
    }
    long high = 0;
    long low = 0;
    for (int i = 0; i < UUID_TEXT_LENGTH; i++) {
      if (i == 8 || i == 13 || i == 18 || i == 23) {
        if (text[i] != '-') {
          return null;
        }
        continue;
      }
      int digit = Character.digit(text[i], 16);
      if (digit < 0) {
        return null;
      }
      if (i < 18) {
        high = (high << 4) | digit;
      } else {
        low = (low << 4) | digit;
      }
    }
    int version = (int) (high >>> 12) & 0xf;
    boolean rfcVariant = low >>> 62 == 0b10;
    return rfcVariant && version >= 1 && version <= 7 ? new UUID(high, low) : null;
  }

  /**
   * 122 bits of a hash over both parts, stamped as version 8, so that it is never a producer's
   * UUID.
   */
  static UUID hashed(Hashed kind, byte[] scope, byte[] id) {
    byte[] hash = digest(kind, scope, id);
    long high = (readLong(hash, 0) & ~0xf000L) | 0x8000L;
    long low = (readLong(hash, 8) >>> 2) | (0b10L << 62);
    return new UUID(high, low);
  }

  /**
   * What a partition's coordinates are made from; {@link #coordinates} adds the offset. The
   * leader's epoch is part of it: a log that was truncated gives an offset a second time.
   */
  static long partitionPrefix(UUID topicId, String topic, int partition, int leaderEpoch) {
    // A broker that names no topic id leaves only the name, which a topic made again repeats.
    boolean unnamed =
        topicId.getMostSignificantBits() == 0 && topicId.getLeastSignificantBits() == 0;
    byte[] scope =
        unnamed
            ? utf8(topic)
            : longs(topicId.getMostSignificantBits(), topicId.getLeastSignificantBits());
    return readLong(digest(Hashed.PARTITION, scope, longs(partition, leaderEpoch)), 0);
  }

  /**
   * The variant reserved by the RFC (111), behind 48 bits of time and 16 of the offset; the rest is
   * a hash of partition and offset. Records that come in together so stand together at the end of
   * the index, whatever their partition: ordered by partition first, each partition would leave
   * half-empty pages behind it. Without a time, the offset takes its place.
   */
  static UUID coordinates(long partitionPrefix, long timestamp, long offset) {
    long high = timestamp < 0 ? offset : (timestamp << 16) | (offset & 0xffffL);
    return new UUID(high, (mix(partitionPrefix ^ mix(offset)) >>> 3) | (0b111L << 61));
  }

  /** Spreads each bit over all others, one to one: the last steps of MurmurHash3. */
  private static long mix(long value) {
    long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] digest(Hashed kind, byte[] scope, byte[] id) {
    MessageDigest digest = threadsSha256();
    digest.update(kind.code);
    // The length keeps ("a", "bc") apart from ("ab", "c").
    digest.update((byte) (scope.length >>> 24));
    digest.update((byte) (scope.length >>> 16));
    digest.update((byte) (scope.length >>> 8));
    digest.update((byte) scope.length);
    digest.update(scope);
    digest.update(id);
    return digest.digest();
  }

  /** One for the calling thread, with nothing in it: to look the algorithm up costs more. */
  static MessageDigest threadsSha256() {
    MessageDigest digest = SHA_256.get();
    digest.reset();
    return digest;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  private static byte[] longs(long... values) {
    byte[] bytes = new byte[values.length * Long.BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (values[i / Long.BYTES] >>> (56 - 8 * (i % Long.BYTES)));
    }
    return bytes;
  }

  private static long readLong(byte[] bytes, int from) {
    long value = 0;
    for (int i = from; i < from + Long.BYTES; i++) {
      value = (value << 8) | (bytes[i] & 0xff);
    }
    return value;
  }
}
