package io.idembox.service;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectPolicy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/**
 * All checks. One that cannot be made is a finding, and keeps none of the others from being made.
 */
final class Doctor {
  private static final Map<String, String> REMEDIES =
      Map.of(
          "postgres", "check that the server is up, then postgres.url, user and password",
          "kafka",
              "check that the brokers are up and reachable from here, then kafka.bootstrap.servers,"
                  + " kafka.security.protocol and what belongs to it",
          "redis", "check that the server is up, then redis.uri, redis.user and redis.password",
          "plugins",
              "correct what is named; it is the configuration or a jar in the plug-ins folder");

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
            // Those that could be made are looked at further, whatever becomes of the others.
            new ConsumerAssembly(stores.settings(), plugins).make(effects, new ArrayList<>());
            EffectCatalog unused = catalog(effects);
            return List.of(Finding.ok("plugins", "all classes can be loaded and made"));
          });
      EffectCatalog catalog;
      try {
        catalog = catalog(effects);
      } catch (IllegalArgumentException e) {
        catalog = EffectCatalog.of();
      }
      checks(catalog);
    }
    return findings;
  }

  private static EffectCatalog catalog(List<Effect<?, ?>> effects) {
    return EffectCatalog.of(effects.toArray(Effect<?, ?>[]::new));
  }

  private void checks(EffectCatalog catalog) {
    check("timeouts", () -> List.of(timeouts(catalog)));
    check("security", () -> Encryption.findings(stores.settings()));
    check("postgres", () -> new DatabaseDoctor(stores).findings());
    boolean database =
        findings.stream()
            .noneMatch(
                one ->
                    one.severity() == Finding.Severity.ERROR && one.code().startsWith("postgres"));
    check("kafka", () -> new KafkaDoctor(stores, catalog, database).findings());
    check("redis", () -> new GuardDoctor(stores, catalog, database).findings());
  }

  /** Their inequalities hold, or the configuration would have been refused: here with numbers. */
  private Finding timeouts(EffectCatalog effects) {
    Settings settings = stores.settings();
    Duration effect = settings.get(Options.EFFECT_TIMEOUT_INSIDE);
    Duration maxPoll =
        Duration.ofMillis(KafkaProperties.maxPollIntervalMs(settings.group(Options.KAFKA)));
    Duration lease =
        effects.names().stream()
            .flatMap(name -> effects.find(name).stream())
            .map(one -> one.policy().lease())
            .min(Duration::compareTo)
            .orElse(EffectPolicy.DEFAULT_LEASE);
    return Finding.ok(
        "timeouts",
        "redis command %s x 3 <= shortest lease %s; drain %s < max.poll.interval.ms %s; effect inside %s < idle in transaction %s; a stop takes up to %s and 5s more"
            .formatted(
                Durations.text(settings.get(Options.REDIS_COMMAND_TIMEOUT)),
                Durations.text(lease),
                Durations.text(DerivedValues.drain(settings)),
                Durations.text(maxPoll),
                Durations.text(effect),
                Durations.text(DerivedValues.idle(settings)),
                Durations.text(settings.get(Options.SHUTDOWN_BUDGET))));
  }

  private void check(String code, Supplier<List<Finding>> checks) {
    try {
      findings.addAll(checks.get());
    } catch (RuntimeException e) {
      findings.add(
          Finding.error(
              code, message(e), REMEDIES.getOrDefault(code, "correct it; then run doctor again")));
    }
  }

  /** Kafka says "failed to create a client", and why only in the cause. */
  private static String message(RuntimeException e) {
    String text = String.valueOf(e.getMessage());
    Throwable cause = e.getCause();
    return e instanceof KafkaException && cause != null && cause.getMessage() != null
        ? text + ": " + cause.getMessage()
        : text;
  }
}
