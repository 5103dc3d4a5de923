package io.idembox.effect;

final class RedisEffectGuardTest extends EffectGuardContract {
  @Override
  EffectStore store() {
    return RedisEffectStore.connect(scope.redis().uri());
  }
}
