package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Many callers, many keys: each effect runs exactly once, and all get its receipt. */
@WithServers(WithServers.Server.REDIS)
final class ManyCallersTest {
  private static final int KEYS = 500;
  private static final int THREADS = 8;

  private TestScope scope;

  @Test
  void eachOfManyKeysRunsOnceWhoeverAsks() throws Exception {
    EffectPolicy policy =
        EffectPolicy.builder().secondCaller(SecondCaller.waitFor(Duration.ofMinutes(1))).build();
    Map<Integer, Integer> runs = new ConcurrentHashMap<>();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    // Two guards on two connections, as two processes would have.
    try (RedisEffectStore one = RedisEffectStore.connect(scope.redis().uri());
        RedisEffectStore two = RedisEffectStore.connect(scope.redis().uri());
        EffectGuard first = EffectGuard.builder(one).namespace(scope.namespace()).build();
        EffectGuard second = EffectGuard.builder(two).namespace(scope.namespace()).build()) {
      List<Future<List<String>>> callers = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        EffectGuard guard = t % 2 == 0 ? first : second;
        long seed = t;
        callers.add(threads.submit(() -> ask(guard, policy, runs, seed)));
      }
      Set<List<String>> receipts = new HashSet<>();
      for (Future<List<String>> caller : callers) {
        receipts.add(caller.get());
      }
      assertThat(receipts).hasSize(1);
    } finally {
      threads.shutdownNow();
    }
    assertThat(runs).hasSize(KEYS);
    assertThat(runs.values()).containsOnly(1);
  }

  private static List<String> ask(
      EffectGuard guard, EffectPolicy policy, Map<Integer, Integer> runs, long seed) {
    Random random = new Random(seed);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      order.add(i);
    }
    // Close together, so that callers meet at each key, but not in one order.
    for (int from = 0; from < KEYS; from += 20) {
      Collections.shuffle(order.subList(from, from + 20), random);
    }
    String[] receipts = new String[KEYS];
    for (int i : order) {
      LockSupport.parkNanos(random.nextInt(200_000));
      receipts[i] =
          guard.once(
              policy,
              EffectKey.of("many").id(i),
              String.class,
              attempt -> {
                runs.merge(i, 1, Integer::sum);
                LockSupport.parkNanos(random.nextInt(300_000));
                return "receipt " + attempt.providerKey();
              });
    }
    return List.of(receipts);
  }

  @Test
  void bulksOfTheSameKeysRunEachOnce() throws Exception {
    MailEffect mail =
        new MailEffect()
            .policy(
                EffectPolicy.builder()
                    .secondCaller(SecondCaller.waitFor(Duration.ofMinutes(1)))
                    .build());
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (RedisEffectStore store = RedisEffectStore.connect(scope.redis().uri());
        EffectGuard guard = EffectGuard.builder(store).namespace(scope.namespace()).build()) {
      List<EffectCall<Mail>> calls = new ArrayList<>();
      for (int i = 0; i < KEYS; i++) {
        calls.add(EffectCall.first(EffectKey.of("bulk").id(i), new Mail("a@b", i)));
      }
      List<Future<List<EffectOutcome<Sent>>>> bulks = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        bulks.add(threads.submit(() -> guard.tryOnceAll(mail, calls)));
      }
      int performed = 0;
      for (Future<List<EffectOutcome<Sent>>> bulk : bulks) {
        for (EffectOutcome<Sent> outcome : bulk.get()) {
          assertThat(outcome.kind())
              .isIn(EffectOutcome.Kind.PERFORMED, EffectOutcome.Kind.REPLAYED);
          performed += outcome.kind() == EffectOutcome.Kind.PERFORMED ? 1 : 0;
        }
      }
      assertThat(performed).isEqualTo(KEYS);
      assertThat(mail.runs()).isEqualTo(KEYS);
    } finally {
      threads.shutdownNow();
    }
  }
}
