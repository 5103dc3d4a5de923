package io.idembox.effect;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.CommandType;
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

  void makeList(byte[] key) {
    commands.rpush(key, new byte[] {1});
  }

  /** Runs a script; what it answers is not looked at, and its error is given back. */
  String eval(EvalArgs args) {
    try {
      commands.dispatch(CommandType.EVAL, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE), args);
      return "";
    } catch (RedisCommandExecutionException e) {
      return String.valueOf(e.getMessage());
    }
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
