package io.idembox.runtime;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectException;
import io.idembox.effect.EffectStore;
import io.idembox.effect.RedisEffectStore;
import io.idembox.inbox.InboxException;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.RegisteredConsumer;
import io.idembox.migrations.IdemboxSchema;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Kafka, PostgreSQL and Redis as a consumer found them at its start. */
final class Servers {
  // Below the 10 seconds within which a start is refused.
  private static final Duration LIMIT = Duration.ofSeconds(8);
  private static final int COMMANDS_PER_LEASE = 3;
  private static final Duration KAFKA_LIMIT = Duration.ofSeconds(7);

  private final TopicIds topicIds;
  private final JdbcInbox inbox;
  private final @Nullable EffectStore effectStore;
  private final boolean ownsEffectStore;

  private Servers(
      TopicIds topicIds,
      JdbcInbox inbox,
      @Nullable EffectStore effectStore,
      boolean ownsEffectStore) {
    this.topicIds = topicIds;
    this.inbox = inbox;
    this.effectStore = effectStore;
    this.ownsEffectStore = ownsEffectStore;
  }

  /**
   * Asks all three at the same time, so that a refusal comes in time and names each that is away.
   *
   * @throws StartRefusedException naming every server that cannot be used
   */
  static Servers check(ConsumerSettings settings) {
    ExecutorService threads = Executors.newFixedThreadPool(3, Threads.platform("start-check-"));
    try {
      Future<TopicIds> kafka =
          threads.submit(
              () ->
                  KafkaCheck.topicIds(
                      settings.kafka(),
                      settings.routes().topics(),
                      settings.groupId(),
                      KAFKA_LIMIT));
      JdbcInbox unchecked = settings.newInbox();
      Future<JdbcInbox> postgres = threads.submit(() -> checked(unchecked, settings));
      Future<Optional<EffectStore>> redis = threads.submit(checkedStore(settings));

      List<StartRefusedException> refusals = new ArrayList<>();
      long end = System.nanoTime() + LIMIT.toNanos();
      Optional<TopicIds> topicIds =
          answer("Kafka at " + settings.kafka().bootstrapServers(), kafka, end, refusals);
      Optional<JdbcInbox> inbox = answer(unchecked.address(), postgres, end, refusals);
      Optional<Optional<EffectStore>> store = answer(redisAddress(settings), redis, end, refusals);
      store
          .flatMap(opened -> opened)
          .flatMap(opened -> leaseRefusal(settings.effects(), opened))
          .ifPresent(refusals::add);
      if (refusals.isEmpty()) {
        return new Servers(
            topicIds.get(), inbox.get(), store.get().orElse(null), settings.effectStore() == null);
      }
      if (settings.effectStore() == null) {
        store.flatMap(opened -> opened).ifPresent(EffectStore::close);
      }
      throw refusal(settings.name(), refusals);
    } finally {
      threads.shutdownNow();
    }
  }

  private static JdbcInbox checked(JdbcInbox inbox, ConsumerSettings settings) {
    try {
      return StaleConnections.past(
          () -> {
            if (settings.migrate()) {
              IdemboxSchema.of(settings.dataSource()).migrate();
            }
            inbox.check();
            inbox.checkRights();
            return inbox;
          });
    } catch (InboxException e) {
      throw new StartRefusedException(Causes.summary(e), e);
    }
  }

  private static Callable<Optional<EffectStore>> checkedStore(ConsumerSettings settings) {
    return () -> {
      try {
        if (settings.redisUri() != null) {
          return Optional.of(RedisEffectStore.connect(settings.redisUri()));
        }
        if (settings.effectStore() != null) {
          settings.effectStore().check();
        }
        return Optional.ofNullable(settings.effectStore());
      } catch (EffectException e) {
        throw new StartRefusedException(Causes.summary(e), e);
      }
    };
  }

  /** An effect whose lease could end while one command is still under way would never be run. */
  private static Optional<StartRefusedException> leaseRefusal(
      EffectCatalog effects, EffectStore store) {
    Duration shortest = store.commandTimeout().multipliedBy(COMMANDS_PER_LEASE);
    for (String name : effects.names()) {
      Duration lease = effects.find(name).orElseThrow().policy().lease();
      if (lease.compareTo(shortest) < 0) {
        return Optional.of(
            new StartRefusedException(
                "effect "
                    + name
                    + " has a lease of "
                    + lease.toMillis()
                    + " ms, shorter than three times the store's command time-out of "
                    + store.commandTimeout().toMillis()
                    + " ms; give it a lease of at least "
                    + shortest.toMillis()
                    + " ms, or the store a shorter time-out",
                null));
      }
    }
    return Optional.empty();
  }

  /** Host and port only: a URI may hold a password. */
  private static String redisAddress(ConsumerSettings settings) {
    try {
      URI uri = URI.create(settings.redisUri() == null ? "" : settings.redisUri());
      return uri.getHost() == null ? "Redis" : "Redis at " + uri.getHost() + ":" + uri.getPort();
    } catch (IllegalArgumentException e) {
      // Several hosts, as for Sentinel: not worth guessing where the password ends.
      return "Redis";
    }
  }

  private static <T> Optional<T> answer(
      String server, Future<T> asked, long end, List<StartRefusedException> refusals) {
    try {
      return Optional.of(asked.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS));
    } catch (ExecutionException e) {
      refusals.add(
          e.getCause() instanceof StartRefusedException refusal
              ? refusal
              : new StartRefusedException(server + " cannot be used: " + Causes.summary(e), e));
    } catch (TimeoutException e) {
      refusals.add(
          new StartRefusedException(
              server + " did not answer within " + LIMIT.toSeconds() + " s", e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      refusals.add(new StartRefusedException("Interrupted while asking " + server, e));
    }
    return Optional.empty();
  }

  private static StartRefusedException refusal(
      String consumer, List<StartRefusedException> refusals) {
    StringBuilder message = new StringBuilder("Consumer " + consumer + " does not start: ");
    message.append(refusals.get(0).getMessage());
    for (StartRefusedException further : refusals.subList(1, refusals.size())) {
      message.append("; and ").append(further.getMessage());
    }
    return new StartRefusedException(message.toString(), refusals.get(0));
  }

  /** Makes the consumer known to the database, or finds it there. */
  RegisteredConsumer register(ConsumerSettings settings) {
    bindCluster(settings);
    return StaleConnections.past(() -> inbox.register(settings.registration()));
  }

  /**
   * The database belongs to the cluster that it is first used with, and another one is met on
   * purpose only: namespaces, topic ids and offsets are that cluster's.
   *
   * @throws io.idembox.inbox.ClusterMismatchException if it is another one, and nobody has said why
   */
  void bindCluster(ConsumerSettings settings) {
    String cluster = topicIds.clusterId();
    if (cluster == null) {
      return;
    }
    StaleConnections.past(
        () -> {
          if (settings.adoptCluster() == null) {
            inbox.bindCluster(cluster);
          } else {
            inbox.adoptCluster(cluster, settings.adoptCluster());
          }
          return cluster;
        });
  }

  TopicIds topicIds() {
    return topicIds;
  }

  JdbcInbox inbox() {
    return inbox;
  }

  @Nullable EffectStore effectStore() {
    return effectStore;
  }

  /** Closes what was opened here: the connection to Redis, unless the user gave the store. */
  void close() {
    if (effectStore != null && ownsEffectStore) {
      effectStore.close();
    }
  }
}
