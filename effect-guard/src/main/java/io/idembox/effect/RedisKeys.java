package io.idembox.effect;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The names under which a namespace's data stands in Redis.
 *
 * <pre>
 * record: e{xx} + 16 bytes of the effect's hash          21 bytes: one more and Redis would take 8 bytes more a key
 * index:  e{xx} + i + 8 bytes of the namespace's hash    the unsettled records of bucket xx
 * marker: e{xx} + m + 8 bytes of the namespace's hash
 * </pre>
 *
 * <p>xx is one of 256 buckets, in hex. Record and index of a bucket share its hash tag, so that one
 * script may change both in a cluster; the bucket comes from the hash, so no user's text decides
 * where a key goes.
 */
final class RedisKeys {
  static final int BUCKETS = 256;

  private static final int PREFIX = 5;
  private static final int HASH_BYTES = 16;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final byte[][] indexes = new byte[BUCKETS][];
  private final byte[] marker;

  RedisKeys(String namespace) {
    byte[] name = EffectKeyHash.sha256().digest(namespace.getBytes(StandardCharsets.UTF_8));
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      indexes[bucket] = named(bucket, 'i', name);
    }
    marker = named(name[31] & 0xff, 'm', name);
  }

  static byte[] record(EffectKeyHash hash) {
    byte[] raw = hash.raw();
    byte[] key = new byte[PREFIX + HASH_BYTES];
    prefix(key, bucket(hash));
    System.arraycopy(raw, 0, key, PREFIX, HASH_BYTES);
    return key;
  }

  byte[] index(EffectKeyHash hash) {
    return indexes[bucket(hash)];
  }

  List<byte[]> allIndexes() {
    return new ArrayList<>(Arrays.asList(indexes));
  }

  byte[] marker() {
    return marker;
  }

  /** From the hash's end, so that it adds to what the record's name keeps of the hash. */
  private static int bucket(EffectKeyHash hash) {
    return hash.raw()[EffectKeyHash.LENGTH - 1] & 0xff;
  }

  private static byte[] named(int bucket, char kind, byte[] namespace) {
    byte[] key = new byte[PREFIX + 1];
    prefix(key, bucket);
    key[PREFIX] = (byte) kind;
    return ByteBuffer.allocate(key.length + 8).put(key).put(namespace, 0, 8).array();
  }

  private static void prefix(byte[] key, int bucket) {
    key[0] = 'e';
    key[1] = '{';
    key[2] = HEX[bucket >> 4];
    key[3] = HEX[bucket & 0xf];
    key[4] = '}';
  }
}
