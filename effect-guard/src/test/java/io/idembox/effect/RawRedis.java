package io.idembox.effect;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.Optional;

/** Looks at Redis past the store, and breaks things there. */
final class RawRedis implements AutoCloseable {
  private final RedisClient client;
  private final RedisCommands<byte[], byte[]> commands;

  RawRedis(String uri) {
    client = RedisClient.create(uri);
    commands = client.connect(ByteArrayCodec.INSTANCE).sync();
  }

  RedisCommands<byte[], byte[]> commands() {
    return commands;
  }

  void set(EffectId id, byte[] stored) {
    commands.set(RedisKeys.record(id.hash()), stored);
  }

  byte[] get(EffectId id) {
    return commands.get(RedisKeys.record(id.hash()));
  }

  Optional<Duration> keeps(EffectId id) {
    long millis = commands.pttl(RedisKeys.record(id.hash()));
    return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
  }
}
