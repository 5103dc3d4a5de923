package io.idembox.service;

import java.time.Duration;
import java.util.Optional;

/** Values in force that nobody has written, and that no default text tells. */
final class DerivedValues {
  private static final Duration USUAL_DRAIN = Duration.ofSeconds(10);

  private DerivedValues() {}

  /** As one would write it; empty where nothing is in force, or only a server knows it. */
  static Optional<String> of(Settings settings, Option<?> option) {
    if (option.equals(Options.GROUP_ID)) {
      return Optional.of(ConsumerAssembly.groupId(settings));
    }
    if (option.equals(Options.POSTGRES_POOL_SIZE)) {
      return Optional.of("" + PostgresPool.size(settings));
    }
    if (option.equals(Options.DRAIN_BUDGET)) {
      return Optional.of(Durations.text(drain(settings)));
    }
    if (option.equals(Options.IDLE_TIMEOUT)) {
      return Optional.of(Durations.text(idle(settings)));
    }
    return Optional.empty();
  }

  static Duration drain(Settings settings) {
    Duration third =
        Duration.ofMillis(KafkaProperties.maxPollIntervalMs(settings.group(Options.KAFKA)))
            .dividedBy(3);
    return settings
        .find(Options.DRAIN_BUDGET)
        .orElse(USUAL_DRAIN.compareTo(third) < 0 ? USUAL_DRAIN : third);
  }

  static Duration idle(Settings settings) {
    return settings
        .find(Options.IDLE_TIMEOUT)
        .orElseGet(() -> settings.get(Options.EFFECT_TIMEOUT_INSIDE).multipliedBy(2));
  }
}
