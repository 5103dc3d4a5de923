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
 * record: {b} + 11 bytes of the effect's hash          14 bytes: with one more, an allocator takes 16 bytes more a key
 * index:  {b}i + 8 bytes of the namespace's hash       the unsettled records of bucket b
 * marker: {b}m + 8 bytes of the namespace's hash
 * </pre>
 *
 * <p>b is a byte of the hash, its bucket. Record and index of a bucket share this hash tag, so that
 * one script may change both in a cluster, and no user's text decides where a key goes.
 */
final class RedisKeys {
  private static final int PREFIX = 3;
  private static final int HASH_BYTES = 11;
  private static final int BUCKETS = 256;

  private final byte[][] indexes = new byte[BUCKETS][];
  private final byte[] marker;

  RedisKeys(String namespace) {
    byte[] name = EffectKeyHash.sha256().digest(namespace.getBytes(StandardCharsets.UTF_8));
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      indexes[bucket] = named((byte) bucket, 'i', name);
    }
    marker = named(name[name.length - 1], 'm', name);
  }

  static byte[] record(EffectKeyHash hash) {
    byte[] key = new byte[PREFIX + HASH_BYTES];
    prefix(key, bucket(hash));
    System.arraycopy(hash.raw(), 0, key, PREFIX, HASH_BYTES);
    return key;
  }

  /** Whether a key may be a record's; its value has to tell. */
  static boolean mayBeRecord(byte[] key) {
    return key.length == PREFIX + HASH_BYTES && key[0] == '{' && key[2] == '}';
  }

  byte[] index(EffectKeyHash hash) {
    return indexes[bucket(hash) & 0xff];
  }

  List<byte[]> allIndexes() {
    List<byte[]> all = new ArrayList<>(Arrays.asList(indexes));
    all.remove((int) '}');
    return all;
  }

  byte[] marker() {
    return marker;
  }

  /** From the hash's end, so that it adds to what the record's name keeps of the hash. */
  private static byte bucket(EffectKeyHash hash) {
    return hash.raw()[EffectKeyHash.LENGTH - 1];
  }

  private static byte[] named(byte bucket, char kind, byte[] namespace) {
    byte[] key = new byte[PREFIX + 1];
    prefix(key, bucket);
    key[PREFIX] = (byte) kind;
    return ByteBuffer.allocate(key.length + 8).put(key).put(namespace, 0, 8).array();
  }

  private static void prefix(byte[] key, byte bucket) {
    key[0] = '{';
    // A tag of '}' would be an empty one, and an empty tag counts as none: this bucket joins its
    // neighbour.
    key[1] = bucket == '}' ? (byte) '|' : bucket;
    key[2] = '}';
  }
}
