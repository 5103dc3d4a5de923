package io.idembox.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;

/** What many write by hand: claim with SET NX, do it, store that it was done. */
final class SetNxGuard implements AutoCloseable {
  private static final SetArgs CLAIM = SetArgs.Builder.nx().px(30_000);
  private static final SetArgs KEEP = SetArgs.Builder.px(3 * 24 * 3_600_000L);

  private final Setting setting;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final RedisCommands<String, String> redis;

  SetNxGuard(Setting setting) {
    this.setting = setting;
    this.client = RedisClient.create(setting.redisUri());
    this.connection = client.connect();
    this.redis = connection.sync();
  }

  /** Runs the effect unless it was run; returns whether it was run now. */
  boolean once(String id) {
    String key = setting.name() + ":" + id;
    if (redis.set(key, "claimed", CLAIM) == null) {
      redis.get(key);
      return false;
    }
    try {
      setting.performEffect();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchmarkException("Interrupted in an effect", e);
    }
    redis.set(key, "done:receipt-" + id, KEEP);
    return true;
  }

  /** As if each had been run before; all in one round trip. */
  void markDone(List<String> ids) {
    List<RedisFuture<String>> answers = new ArrayList<>(ids.size());
    for (String id : ids) {
      answers.add(connection.async().set(setting.name() + ":" + id, "done:receipt-" + id, KEEP));
    }
    answers.forEach(answer -> answer.toCompletableFuture().join());
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
