package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.EmbeddedRedisSentinel;
import io.idembox.testkit.FaultRelay;
import io.idembox.testkit.TestkitException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A master goes and its replica takes over. Promised: nothing runs unguarded, work resumes by
 * itself, and what the replica had is not run again. Not promised, for replication is asynchronous:
 * what the master took in its last moments.
 */
final class RedisFailoverTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int WORKERS = 4;
  private static final EffectPolicy POLICY =
      EffectPolicy.builder()
          .lease(Duration.ofSeconds(3))
          .maxAttempts(1)
          .secondCaller(SecondCaller.fail())
          .build();

  private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
  private final Map<String, Long> firstRunAt = new ConcurrentHashMap<>();
  private final CountedMetrics metrics = new CountedMetrics();

  private static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  private String once(EffectGuard guard, String id) {
    return guard.once(
        POLICY,
        key(id),
        String.class,
        attempt -> {
          runs.computeIfAbsent(id, k -> new AtomicInteger()).incrementAndGet();
          firstRunAt.putIfAbsent(id, System.nanoTime());
          return "sent " + id;
        });
  }

  /** As a queue worker would: again and again until it is done. */
  private void onceAtLast(EffectGuard guard, String id) {
    await()
        .atMost(LIMIT)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .ignoreExceptionsInstanceOf(EffectException.class)
        .until(() -> once(guard, id) != null);
  }

  @Test
  void effectsGoOnWhenAMasterDiesAndASentinelPromotesItsReplica() {
    failover(sentinel -> sentinel.killMaster(LIMIT));
  }

  @Test
  void effectsGoOnWhenAMasterIsDemotedBySentinelsWhileItLives() {
    failover(sentinel -> sentinel.failover(LIMIT));
  }

  private static boolean isMaster(EmbeddedRedis server) {
    try {
      return server.command("INFO", "replication").contains("role:master");
    } catch (TestkitException e) {
      return false;
    }
  }

  private interface Failover {
    EmbeddedRedis by(EmbeddedRedisSentinel sentinel);
  }

  private void failover(Failover failover) {
    try (EmbeddedRedisSentinel sentinel = EmbeddedRedisSentinel.start();
        RedisEffectStore store =
            RedisEffectStore.builder(sentinel.uri())
                .commandTimeout(Duration.ofSeconds(1))
                .connect();
        EffectGuard guard =
            EffectGuard.builder(store).namespace("sentinel").metrics(metrics).build()) {
      guard.check();
      for (int i = 0; i < 100; i++) {
        once(guard, "before-" + i);
      }
      await().atMost(LIMIT).until(() -> Replication.isLevel(sentinel.master()));
      AtomicBoolean stop = new AtomicBoolean();
      AtomicInteger during = new AtomicInteger();
      List<CompletableFuture<Void>> workers = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        workers.add(
            CompletableFuture.runAsync(
                () -> {
                  while (!stop.get()) {
                    onceAtLast(guard, "during-" + during.incrementAndGet());
                  }
                },
                Background.THREADS));
      }
      await().atMost(LIMIT).until(() -> during.get() > 50);

      EmbeddedRedis former = failover.by(sentinel);

      // A master that is demoted alive takes writes, which are lost, until it knows.
      await().atMost(LIMIT).until(() -> !isMaster(former));
      long takenOverAt = System.nanoTime();
      assertThat(sentinel.master()).isNotSameAs(former);
      int reached = during.get();
      await().atMost(LIMIT).until(() -> during.get() > reached + 200);
      stop.set(true);
      workers.forEach(CompletableFuture::join);

      for (int i = 0; i < 100; i++) {
        assertThat(once(guard, "before-" + i)).isEqualTo("sent before-" + i);
        assertThat(runs.get("before-" + i)).hasValue(1);
      }
      for (int i = 1; i <= during.get(); i++) {
        onceAtLast(guard, "during-" + i);
      }
      // Whatever was lost with the old master was run before the new one took over.
      Map<String, Integer> twice = new ConcurrentHashMap<>();
      runs.forEach(
          (id, count) -> {
            if (count.get() > 1 && firstRunAt.get(id) - takenOverAt > 0) {
              twice.put(id, count.get());
            }
          });
      assertThat(twice).isEmpty();
      assertThat(runs.keySet()).hasSize(100 + during.get());
      assertThat(metrics.of(EffectMetrics.Event.UNGUARDED)).isZero();
      assertThat(guard.check()).extracting(StoreFinding::code).doesNotContain("store.data-lost");
    }
  }

  @Test
  void aClientLeftOnADemotedMasterFollowsTheAddressToTheNewOne() {
    try (EmbeddedRedis first = EmbeddedRedis.builder().inMemory().start();
        EmbeddedRedis second =
            EmbeddedRedis.builder().inMemory().args("--repl-diskless-sync-delay", "0").start();
        FaultRelay address = FaultRelay.to(first.port());
        RedisEffectStore store =
            RedisEffectStore.builder("redis://" + address.address())
                .commandTimeout(Duration.ofSeconds(1))
                .connect();
        EffectGuard guard =
            EffectGuard.builder(store).namespace("moved").metrics(metrics).build()) {
      guard.check();
      once(guard, "before");
      second.command("REPLICAOF", first.host(), Integer.toString(first.port()));
      await()
          .atMost(LIMIT)
          .until(() -> second.command("INFO", "replication").contains("master_link_status:up"));
      await().atMost(LIMIT).until(() -> Replication.isLevel(first));

      second.command("REPLICAOF", "NO", "ONE");
      first.command("REPLICAOF", second.host(), Integer.toString(second.port()));
      address.redirect(second.port());

      onceAtLast(guard, "after");
      assertThat(runs.get("after")).hasValue(1);
      assertThat(metrics.of(EffectStoreException.Kind.READ_ONLY)).isPositive();
      assertThat(once(guard, "before")).isEqualTo("sent before");
      assertThat(runs.get("before")).hasValue(1);
      assertThat(metrics.of(EffectMetrics.Event.UNGUARDED)).isZero();
      guard.check();
      assertThat(metrics.of(EffectMetrics.Event.DATA_LOST)).isZero();
    }
  }
}
