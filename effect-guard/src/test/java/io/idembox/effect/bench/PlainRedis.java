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

  /** What the server's threads have used of the processor. */
  long cpuMicros() {
    return Math.round(
        1e6
            * (Double.parseDouble(info("cpu", "used_cpu_sys:"))
                + Double.parseDouble(info("cpu", "used_cpu_user:"))));
  }

  void resetStatistics() {
    redis.configResetstat();
  }

  /** How often a command was called since the statistics were reset. */
  long calls(String command) {
    String calls = statistic(command, "calls");
    return calls.isEmpty() ? 0 : Long.parseLong(calls);
  }

  /** How long the server did nothing else for each call, on average since then. */
  double microsPerCall(String command) {
    String micros = statistic(command, "usec_per_call");
    return micros.isEmpty() ? 0 : Double.parseDouble(micros);
  }

  private String statistic(String command, String name) {
    for (String field : info("commandstats", "cmdstat_" + command + ":").split(",", -1)) {
      if (field.startsWith(name + "=")) {
        return field.substring(name.length() + 1);
      }
    }
    return "";
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
