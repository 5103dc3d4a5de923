package io.idembox.effect;

final class InMemoryEffectGuardTest extends EffectGuardContract {
  @Override
  EffectStore store() {
    return new InMemoryEffectStore();
  }
}
