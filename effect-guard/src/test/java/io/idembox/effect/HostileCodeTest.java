package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectOutcome.Kind;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A user's code that does what it should not: what was promised holds all the same. */
final class HostileCodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final EffectPolicy ONCE =
      EffectPolicy.builder().maxAttempts(1).secondCaller(SecondCaller.fail()).build();
  private static final EffectPolicy HOLD = ONCE.toBuilder().onUnknown(OnUnknown.HOLD).build();

  private final InMemoryEffectStore store = new InMemoryEffectStore(Clock.systemUTC());

  private static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  private static List<EffectCall<Mail>> calls(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> EffectCall.first(key("bulk-" + i), new Mail("a@b", i)))
        .toList();
  }

  private static final class BrokenMetrics implements EffectMetrics {
    @Override
    public void count(String effect, Event event) {
      throw new IllegalStateException("registry is closed");
    }

    @Override
    public void time(String effect, Timing timing, Duration elapsed) {
      throw new NoClassDefFoundError("Timer");
    }

    @Override
    public void storeFailed(EffectStoreException.Kind kind) {
      throw new IllegalStateException("registry is closed");
    }
  }

  @Test
  void metricsAndKeyFormatsThatFailAreNoEffectsFailure() {
    try (EffectGuard guard =
        EffectGuard.builder(store)
            .namespace("hostile")
            .metrics(new BrokenMetrics())
            .keyFormat(
                key -> {
                  throw new IllegalStateException("no redactor");
                })
            .build()) {
      MailEffect mail = new MailEffect().policy(ONCE);

      assertThat(guard.tryOnce(mail, key("1"), new Mail("a@b", 1)).kind())
          .isEqualTo(Kind.PERFORMED);
      assertThat(guard.tryOnce(mail, key("1"), new Mail("a@b", 1)).kind()).isEqualTo(Kind.REPLAYED);
      assertThat(guard.tryOnceAll(mail, calls(50)))
          .extracting(EffectOutcome::kind)
          .containsOnly(Kind.PERFORMED);
      mail.then(new EffectRejectedException("no"));
      assertThatExceptionOfType(EffectRejectedException.class)
          .isThrownBy(() -> guard.once(mail, key("2"), new Mail("a@b", 1)))
          .withMessageContaining("mail.invoice[its key format failed: IllegalStateException]");
      assertThat(mail.runs()).isEqualTo(52);
    }
  }

  @Test
  void whatAnotherEffectsCallSaysIsNotSaidOfTheEffectAroundIt() {
    try (EffectGuard guard = EffectGuard.builder(store).namespace("hostile").build()) {
      for (EffectException inner :
          List.of(
              new EffectNotPerformedException("no connection"),
              new EffectRejectedException("no"))) {
        EffectKey outer = key("outer-" + inner.getClass().getSimpleName());
        AtomicInteger sent = new AtomicInteger();
        EffectCode<String> sendsAndThenAsksForAnother =
            attempt -> {
              sent.incrementAndGet();
              return guard.once(
                  ONCE,
                  EffectKey.of("mail.copy").id(inner.getClass().getSimpleName()),
                  String.class,
                  other -> {
                    throw inner;
                  });
            };

        EffectOutcome<String> outcome =
            guard.tryOnce(HOLD, outer, String.class, sendsAndThenAsksForAnother);

        assertThat(outcome.kind()).isEqualTo(Kind.IN_DOUBT);
        assertThat(((EffectOutcome.InDoubt<String>) outcome).cause())
            .isInstanceOf(inner.getClass());
        assertThat(guard.tryOnce(HOLD, outer, String.class, sendsAndThenAsksForAnother).kind())
            .isEqualTo(Kind.IN_DOUBT);
        assertThat(sent).hasValue(1);
      }
    }
  }

  @Test
  void aBulkInsideAnEffectIsRefusedByName() {
    MailEffect mail = new MailEffect();
    try (EffectGuard guard =
        EffectGuard.builder(store).namespace("hostile").concurrency(1).build()) {
      guard.once(
          ONCE,
          key("outer"),
          String.class,
          attempt -> {
            assertThatIllegalStateException()
                .isThrownBy(() -> guard.tryOnceAll(mail, calls(2)))
                .withMessageContaining("invoice-mail")
                .withMessageContaining("mail.invoice");
            return "sent";
          });
      assertThat(mail.runs()).isZero();
      assertThat(guard.tryOnceAll(mail, calls(2)))
          .extracting(EffectOutcome::kind)
          .containsOnly(Kind.PERFORMED);
    }
  }

  @Test
  void aCallerThatWaitsForAnotherStartsNothingOnceTheGuardIsClosed() throws Exception {
    EffectGuard guard =
        EffectGuard.builder(store).namespace("hostile").closeTimeout(Duration.ofSeconds(5)).build();
    EffectPolicy waits =
        ONCE.toBuilder().secondCaller(SecondCaller.waitFor(Duration.ofSeconds(20))).build();
    CountDownLatch finish = new CountDownLatch(1);
    CountDownLatch running = new CountDownLatch(1);
    CompletableFuture<EffectOutcome<String>> holder =
        CompletableFuture.supplyAsync(
            () ->
                guard.tryOnce(
                    waits,
                    key("1"),
                    String.class,
                    attempt -> {
                      running.countDown();
                      finish.await();
                      throw new EffectNotPerformedException("no connection");
                    }),
            Background.THREADS);
    running.await();
    AtomicInteger started = new AtomicInteger();
    CompletableFuture<EffectOutcome<String>> waiter =
        CompletableFuture.supplyAsync(
            () ->
                guard.tryOnce(
                    waits,
                    key("1"),
                    String.class,
                    attempt -> {
                      started.incrementAndGet();
                      return "sent";
                    }),
            Background.THREADS);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(guard::close, Background.THREADS);
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThatExceptionOfType(EffectStoreException.class)
                    .isThrownBy(
                        () -> guard.tryOnce(waits, key("2"), String.class, attempt -> "late")));
    finish.countDown();

    assertThat(holder.join().kind()).isEqualTo(Kind.NOT_PERFORMED);
    assertThatExceptionOfType(java.util.concurrent.CompletionException.class)
        .isThrownBy(waiter::join)
        .withCauseInstanceOf(EffectStoreException.class);
    closing.join();
    assertThat(started).hasValue(0);
  }

  @Test
  void aStoreThatThrowsInsteadOfAnsweringHangsNobodyAndPinsNoLease() {
    AtomicInteger settlements = new AtomicInteger();
    EffectStore throwing =
        new DelegatingStore(store) {
          @Override
          public CompletionStage<StoreReply> apply(StoreCommand command) {
            if (command instanceof StoreCommand.Settle && settlements.incrementAndGet() < 5) {
              throw new IllegalArgumentException("a store with a defect");
            }
            return super.apply(command);
          }
        };
    MailEffect mail = new MailEffect().policy(ONCE);
    try (EffectGuard guard = EffectGuard.builder(throwing).namespace("hostile").build()) {
      assertThat(guard.tryOnceAll(mail, calls(3)))
          .extracting(EffectOutcome::kind)
          .containsOnly(Kind.PERFORMED);
      assertThat(guard.tryOnce(mail, key("1"), new Mail("a@b", 1)).kind())
          .isEqualTo(Kind.PERFORMED);
      assertThat(mail.runs()).isEqualTo(4);
    }
  }

  @Test
  void anInterruptedCallerAsksAnAbsentStoreNowAndThenAndNotWithoutPause() {
    AtomicInteger asked = new AtomicInteger();
    EffectStore away =
        new DelegatingStore(store) {
          @Override
          public CompletionStage<StoreReply> apply(StoreCommand command) {
            if (command instanceof StoreCommand.Settle) {
              asked.incrementAndGet();
              return CompletableFuture.failedStage(
                  new EffectStoreException(EffectStoreException.Kind.UNREACHABLE, "gone", null));
            }
            return super.apply(command);
          }

          @Override
          public Duration commandTimeout() {
            return Duration.ofMillis(100);
          }
        };
    EffectGuard guard =
        EffectGuard.builder(away).namespace("hostile").closeTimeout(Duration.ZERO).build();
    EffectOutcome<String> outcome =
        guard.tryOnce(
            ONCE.toBuilder().lease(Duration.ofSeconds(3)).build(),
            key("1"),
            String.class,
            attempt -> {
              Thread.currentThread().interrupt();
              return "sent";
            });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(((EffectOutcome.Performed<String>) outcome).recorded()).isFalse();
    assertThat(asked).hasValueLessThan(60);
    guard.close();
  }
}
