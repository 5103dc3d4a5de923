package io.idembox.service;

import io.idembox.effect.EffectException;
import io.idembox.effect.EffectId;
import io.idembox.effect.EffectKey;
import io.idembox.effect.RedisEffectStore;
import io.idembox.runtime.ConsumerStatus;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.PartitionStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Whether the process is alive (its poll loop turns), started, and ready (a member of its group,
 * and its stores answer). A stalled partition is a signal of its own and does not make it unready:
 * another member would stall on it too. Thread-safe.
 */
final class Health {
  /** A loop that has not turned for so long hangs. Far above the longest wait that it has. */
  private static final Duration LONGEST_TURN = Duration.ofSeconds(60);

  private final Duration longestTurn;

  private static final Duration ASKED_FOR = Duration.ofSeconds(2);

  /** Looked up, never written. */
  private static final EffectId PROBE = EffectId.of("health", EffectKey.of("health").id("probe"));

  private final InboxConsumer consumer;
  private final DataSource dataSource;
  private final @Nullable RedisEffectStore store;
  private final Clock clock;
  private volatile boolean stopping;
  private @Nullable Stores asked;

  /** What the stores said last. */
  private record Stores(Instant at, Map<String, String> answers) {}

  Health(
      InboxConsumer consumer,
      DataSource dataSource,
      @Nullable RedisEffectStore store,
      Duration drainBudget,
      Clock clock) {
    // A revocation waits for running batches within the turn: whoever is killed in it has waited
    // for nothing.
    this.longestTurn = LONGEST_TURN.plus(drainBudget);
    this.consumer = consumer;
    this.dataSource = dataSource;
    this.store = store;
    this.clock = clock;
  }

  /**
   * An answer to a probe.
   *
   * @param up decides; the rest is for people
   */
  record Answer(boolean up, Map<String, String> checks, List<String> stalls) {}

  /** The process is on its way out: no longer ready, still alive. */
  void stopping() {
    stopping = true;
  }

  Answer live() {
    Optional<ConsumerStatus> status = status();
    if (status.isEmpty()) {
      // Being started is not being dead: the probe for that is another one.
      return new Answer(true, Map.of("loop", "not started"), List.of());
    }
    Duration silent = Duration.between(status.get().lastPoll(), clock.instant());
    boolean turns = silent.compareTo(longestTurn) < 0;
    return new Answer(
        turns,
        Map.of("loop", turns ? "turns" : "has not turned for " + silent.toSeconds() + " s"),
        List.of());
  }

  Answer started() {
    boolean started = status().isPresent();
    return new Answer(started, Map.of("consumer", started ? "started" : "starting"), List.of());
  }

  Answer ready() {
    Map<String, String> checks = new LinkedHashMap<>();
    Optional<ConsumerStatus> status = status();
    checks.put("consumer", stopping ? "stopping" : status.isPresent() ? "started" : "starting");
    boolean joined = status.isPresent() && status.get().joined();
    checks.put("group", joined ? "joined" : "not a member");
    Map<String, String> stores = stores();
    checks.putAll(stores);
    boolean up =
        !stopping
            && joined
            && stores.values().stream().allMatch(answer -> answer.equals("answers"))
            && live().up();
    return new Answer(
        up,
        checks,
        status.stream()
            .flatMap(one -> one.partitions().stream())
            .filter(partition -> partition.stall().isPresent())
            .map(Health::stall)
            .toList());
  }

  private static String stall(PartitionStatus partition) {
    return partition.topic()
        + "-"
        + partition.partition()
        + ": "
        + partition.stall().map(stall -> ValueType.name(stall.reason())).orElse("");
  }

  private Optional<ConsumerStatus> status() {
    try {
      return Optional.of(consumer.status());
    } catch (IllegalStateException e) {
      // That is how it says "not started".
      return Optional.empty();
    }
  }

  /** Asked at most every two seconds, however many ask for it: probes must not load the stores. */
  private synchronized Map<String, String> stores() {
    Stores last = asked;
    if (last == null || last.at().plus(ASKED_FOR).isBefore(clock.instant())) {
      Map<String, String> answers = new LinkedHashMap<>();
      answers.put("postgres", postgres());
      if (store != null) {
        answers.put("redis", redis(store));
      }
      last = new Stores(clock.instant(), answers);
      asked = last;
    }
    return last.answers();
  }

  private String postgres() {
    try (Connection connection = dataSource.getConnection()) {
      return connection.isValid(2) ? "answers" : "does not answer";
    } catch (SQLException e) {
      return "does not answer";
    }
  }

  private static String redis(RedisEffectStore store) {
    try {
      store
          .lookUp(List.of(PROBE))
          .toCompletableFuture()
          .get(store.commandTimeout().toMillis(), TimeUnit.MILLISECONDS);
      return "answers";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "was not asked";
    } catch (EffectException | java.util.concurrent.ExecutionException | TimeoutException e) {
      return "does not answer";
    }
  }
}
