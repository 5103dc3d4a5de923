package io.idembox.effect;

import java.time.Duration;
import java.util.Optional;

final class InMemoryEffectStoreTest extends EffectStoreContract {
  private final InMemoryEffectStore memory = new InMemoryEffectStore();

  @Override
  EffectStore store() {
    return memory;
  }

  @Override
  void overwrite(EffectId id, byte[] stored) {
    memory.overwrite(id, stored);
  }

  @Override
  Optional<Duration> keeps(EffectId id) {
    return memory.keeps(id);
  }
}
