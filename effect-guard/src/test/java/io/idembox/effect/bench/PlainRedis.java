package io.idembox.effect.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/**
 * What a careful user would write by hand: SET NX PX, the effect, SET. One connection, the client's
 * own options, its blocking commands. {@link #pair} has what a call cannot do without: a text key
 * of operation and business id, a token of its own, its receipt as JSON. {@link #barePair} is the
 * two commands alone, with all that is sent made beforehand.
 */
final class PlainRedis implements AutoCloseable {
  private static final byte[] RUNNING = new byte[16];
  private static final byte[] RECEIPT = new byte[60];

  private final RedisClient client;
  private final RedisCommands<byte[], byte[]> redis;
  private final ObjectWriter receipts = new ObjectMapper().writerFor(InvoiceReceipt.class);

  PlainRedis(String uri) {
    client = RedisClient.create(uri);
    StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
    redis = connection.sync();
  }

  static byte[] key(long number) {
    return ByteBuffer.allocate(21).put((byte) 'p').putLong(number).array();
  }

  boolean pair(long number) {
    byte[] key = ("bench.invoice:" + number).getBytes(StandardCharsets.UTF_8);
    byte[] token = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
    if (redis.set(key, token, SetArgs.Builder.nx().px(30_000)) == null) {
      return false;
    }
    InvoiceReceipt receipt = InvoiceReceipt.SIXTY;
    redis.set(key, json(receipt), SetArgs.Builder.px(Duration.ofDays(3).toMillis()));
    return true;
  }

  private byte[] json(InvoiceReceipt receipt) {
    try {
      return receipts.writeValueAsBytes(receipt);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the benchmark's receipt is plain", e);
    }
  }

  boolean barePair(long number) {
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
