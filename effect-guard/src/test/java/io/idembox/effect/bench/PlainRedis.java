package io.idembox.effect.bench;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * What a careful user would write by hand: SET NX PX, the effect, SET. One connection, the client's
 * own options.
 */
final class PlainRedis implements AutoCloseable {
  private static final byte[] RUNNING = new byte[16];
  private static final byte[] RECEIPT = new byte[60];

  private final RedisClient client;
  private final RedisCommands<byte[], byte[]> redis;

  PlainRedis(String uri) {
    client = RedisClient.create(uri);
    StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
    redis = connection.sync();
  }

  static byte[] key(long number) {
    return ByteBuffer.allocate(21).put((byte) 'p').putLong(number).array();
  }

  boolean pair(long number) {
    byte[] key = key(number);
    if (redis.set(key, RUNNING, SetArgs.Builder.nx().px(30_000)) == null) {
      return false;
    }
    redis.set(key, RECEIPT, SetArgs.Builder.px(Duration.ofDays(3).toMillis()));
    return true;
  }

  byte[] get(long number) {
    return redis.get(key(number));
  }

  int mget(byte[][] keys) {
    return redis.mget(keys).size();
  }

  long usedMemory() {
    return Long.parseLong(info("memory", "used_memory:"));
  }

  String version() {
    return info("server", "redis_version:");
  }

  void flush() {
    redis.flushall();
  }

  private String info(String section, String line) {
    return redis
        .info(section)
        .lines()
        .filter(l -> l.startsWith(line))
        .findFirst()
        .orElse(line)
        .substring(line.length())
        .trim();
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
  }
}
