package io.idembox.service;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * All checks. One that cannot be made is a finding, and keeps none of the others from being made.
 */
final class Doctor {
  private final Stores stores;
  private final List<Finding> findings = new ArrayList<>();

  Doctor(Stores stores) {
    this.stores = stores;
  }

  List<Finding> findings() {
    // Loading an effect may open things: only for as long as the checks take.
    try (Plugins plugins = Plugins.of(stores.settings(), new SimpleMeterRegistry())) {
      List<Effect<?, ?>> effects = new ArrayList<>();
      check(
          "plugins",
          () -> {
            ConsumerAssembly assembly = new ConsumerAssembly(stores.settings(), plugins);
            effects.addAll(assembly.effects());
            assembly.subscriptions();
            return List.of(Finding.ok("plugins", "all classes can be loaded and made"));
          });
      EffectCatalog catalog = EffectCatalog.of(effects.toArray(Effect<?, ?>[]::new));
      check("postgres", () -> new DatabaseDoctor(stores).findings());
      check("kafka", () -> new KafkaDoctor(stores, catalog).findings());
      check("redis", () -> new GuardDoctor(stores, catalog).findings());
    }
    return findings;
  }

  private void check(String code, Supplier<List<Finding>> checks) {
    try {
      findings.addAll(checks.get());
    } catch (RuntimeException e) {
      findings.add(
          Finding.error(
              code,
              String.valueOf(e.getMessage()),
              "the other findings may say why; then run doctor again"));
    }
  }
}
