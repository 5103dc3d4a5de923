package io.idembox.effect;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;

final class RedisEffectStoreTest extends EffectStoreContract {
  private RedisEffectStore redis;
  private RawRedis raw;

  @Override
  EffectStore store() {
    redis = RedisEffectStore.connect(scope.redis().uri());
    raw = new RawRedis(scope.redis().uri());
    return redis;
  }

  @AfterEach
  void close() {
    raw.close();
    redis.close();
  }

  @Override
  void overwrite(EffectId id, byte[] stored) {
    raw.set(id, stored);
  }

  @Override
  Optional<Duration> keeps(EffectId id) {
    return raw.keeps(id);
  }
}
