package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectOutcome.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bulks of effects that take next to no time, and of such that do so no longer. */
@Timeout(60)
final class QuickEffectsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int CONCURRENCY = 3;
  private static final EffectPolicy RETRY =
      EffectPolicy.builder().maxAttempts(1).secondCaller(SecondCaller.fail()).build();

  private final AtomicInteger mostClaims = new AtomicInteger();
  private final AtomicInteger lookUps = new AtomicInteger();
  private final EffectStore store =
      new DelegatingStore(new InMemoryEffectStore()) {
        @Override
        public List<CompletionStage<StoreReply>> applyAll(List<? extends StoreCommand> commands) {
          if (!commands.isEmpty() && commands.get(0) instanceof StoreCommand.Claim) {
            mostClaims.accumulateAndGet(commands.size(), Math::max);
          }
          return super.applyAll(commands);
        }

        @Override
        public CompletionStage<List<Optional<EffectRecord>>> lookUp(List<EffectId> ids) {
          lookUps.incrementAndGet();
          return super.lookUp(ids);
        }
      };
  private int asked;

  /** Counts how many of it run at the same time; waits if told to. */
  private static final class Counted implements Effect<Mail, String> {
    private final EffectPolicy policy;
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    Counted(EffectPolicy policy) {
      this.policy = policy;
    }

    @Override
    public EffectName<Mail, String> name() {
      return EffectName.of("counted", Mail.class, String.class);
    }

    @Override
    public EffectPolicy policy() {
      return policy;
    }

    @Override
    public String perform(Mail request, EffectAttempt attempt) throws InterruptedException {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      gate.await();
      running.decrementAndGet();
      return "sent";
    }
  }

  private List<EffectCall<Mail>> calls(int count) {
    List<EffectCall<Mail>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(EffectCall.first(EffectKey.of("quick").id(asked++), new Mail("a@b", 1)));
    }
    return calls;
  }

  private EffectGuard guard() {
    return EffectGuard.builder(store).namespace("quick").concurrency(CONCURRENCY).build();
  }

  private void performAll(EffectGuard guard, Counted effect, int count) {
    assertThat(guard.tryOnceAll(effect, calls(count)))
        .extracting(EffectOutcome::kind)
        .containsOnly(Kind.PERFORMED);
  }

  private void makeQuick(EffectGuard guard, Counted effect) {
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              performAll(guard, effect, 300);
              return mostClaims.get() > CONCURRENCY;
            });
  }

  @Test
  void quickEffectsAreClaimedByTheHundred() {
    try (EffectGuard guard = guard()) {
      Counted effect = new Counted(RETRY);
      performAll(guard, effect, 3);
      assertThat(mostClaims).hasValueLessThanOrEqualTo(CONCURRENCY);

      makeQuick(guard, effect);

      assertThat(mostClaims).hasValueBetween(CONCURRENCY + 1, 256);
      assertThat(effect.most).hasValueLessThanOrEqualTo(CONCURRENCY);
      // A claim that a crash leaves behind is somebody's work under these policies.
      mostClaims.set(0);
      performAll(guard, new Counted(RETRY.toBuilder().onUnknown(OnUnknown.HOLD).build()), 300);
      assertThat(mostClaims).hasValueLessThanOrEqualTo(CONCURRENCY);
      assertThat(guard.operations().inDoubt()).isEmpty();
    }
  }

  @Test
  void whatWasQuickAndIsSlowRunsNoMoreAtOnceThanTheGuardsConcurrency() throws Exception {
    try (EffectGuard guard = guard()) {
      Counted effect = new Counted(RETRY);
      makeQuick(guard, effect);
      effect.gate = new CountDownLatch(1);
      List<CompletableFuture<List<EffectOutcome<String>>>> bulks = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        List<EffectCall<Mail>> calls = calls(100);
        bulks.add(CompletableFuture.supplyAsync(() -> guard.tryOnceAll(effect, calls)));
      }

      // All places are taken, by workers of both bulks together.
      await().atMost(LIMIT).until(() -> effect.running.get() == CONCURRENCY);
      effect.gate.countDown();
      for (CompletableFuture<List<EffectOutcome<String>>> bulk : bulks) {
        assertThat(bulk.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
            .extracting(EffectOutcome::kind)
            .containsOnly(Kind.PERFORMED);
      }
      assertThat(effect.most).hasValue(CONCURRENCY);
      // Each place is free again: three at once still come to run.
      Counted slow = new Counted(RETRY.toBuilder().onUnknown(OnUnknown.HOLD).build());
      slow.gate = new CountDownLatch(1);
      List<EffectCall<Mail>> calls = calls(CONCURRENCY);
      CompletableFuture<List<EffectOutcome<String>>> last =
          CompletableFuture.supplyAsync(() -> guard.tryOnceAll(slow, calls));
      await().atMost(LIMIT).until(() -> slow.running.get() == CONCURRENCY);
      slow.gate.countDown();
      assertThat(last.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).hasSize(CONCURRENCY);
    }
  }

  @Test
  void slowEffectsOfOneBulkTakeAllPlacesThoughFewerWaitThanRun() throws Exception {
    try (EffectGuard guard = EffectGuard.builder(store).namespace("quick").concurrency(8).build()) {
      Counted effect = new Counted(RETRY);
      effect.gate = new CountDownLatch(1);
      List<EffectCall<Mail>> calls = calls(8);
      CompletableFuture<List<EffectOutcome<String>>> bulk =
          CompletableFuture.supplyAsync(() -> guard.tryOnceAll(effect, calls));

      await().atMost(LIMIT).until(() -> effect.running.get() == 8);
      effect.gate.countDown();
      assertThat(bulk.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).hasSize(8);
    }
  }

  @Test
  void aLookUpIsLeftOutWhereTheLastOnesFoundNothingUntilAClaimIsInVain() {
    try (EffectGuard guard = guard()) {
      Counted effect = new Counted(RETRY);
      List<EffectCall<Mail>> first = calls(5);
      assertThat(guard.tryOnceAll(effect, first)).hasSize(5);
      for (int i = 0; i < 10; i++) {
        performAll(guard, effect, 5);
      }
      lookUps.set(0);
      performAll(guard, effect, 5);
      assertThat(lookUps).hasValue(0);

      List<EffectCall<Mail>> mixed = new ArrayList<>(first);
      mixed.addAll(calls(1));
      assertThat(guard.tryOnceAll(effect, mixed))
          .extracting(EffectOutcome::kind)
          .containsExactly(
              Kind.REPLAYED,
              Kind.REPLAYED,
              Kind.REPLAYED,
              Kind.REPLAYED,
              Kind.REPLAYED,
              Kind.PERFORMED);
      assertThat(lookUps).hasValue(0);
      assertThat(guard.tryOnceAll(effect, mixed))
          .extracting(EffectOutcome::kind)
          .containsOnly(Kind.REPLAYED);
      assertThat(lookUps).hasValue(1);
    }
  }

  @Test
  void aHistoryKnowsNothingAtFirstAndFollowsWhatIsSeen() {
    BulkHistory pace = new BulkHistory();
    assertThat(pace.isQuick()).isFalse();
    pace.ran(100, Duration.ofMillis(1).toNanos());
    assertThat(pace.isQuick()).isTrue();
    pace.ran(1, Duration.ofMillis(50).toNanos());
    assertThat(pace.isQuick()).isFalse();
    for (int i = 0; i < 30; i++) {
      pace.ran(100, Duration.ofMillis(1).toNanos());
    }
    assertThat(pace.isQuick()).isTrue();
  }
}
