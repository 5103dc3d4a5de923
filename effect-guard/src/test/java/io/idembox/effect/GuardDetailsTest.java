package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectOperations.Decision;
import io.idembox.effect.EffectOutcome.Kind;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * What the guard does around the store: people's decisions, metrics, clocks, closing. In memory,
 * with clocks set by hand.
 */
final class GuardDetailsTest {
  private static final EffectPolicy ONCE =
      EffectPolicy.builder().maxAttempts(1).secondCaller(SecondCaller.fail()).build();

  private final SettableClock clock = new SettableClock();
  private final InMemoryEffectStore store = new InMemoryEffectStore(clock);

  private static final class SettableClock extends Clock {
    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return now;
    }
  }

  private static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  @Test
  void peopleSeeWhatIsInDoubtAndDecide() {
    try (EffectGuard guard = EffectGuard.builder(store).namespace("ops").build()) {
      EffectPolicy hold = ONCE.toBuilder().onUnknown(OnUnknown.HOLD).build();
      for (String id : new String[] {"1", "2", "3"}) {
        clock.now = clock.now.plusSeconds(1);
        guard.tryOnce(
            hold,
            key(id),
            String.class,
            attempt -> {
              throw new IOException("reset");
            });
      }
      EffectOperations people = guard.operations();

      assertThat(people.inDoubt())
          .extracting(r -> r.key().orElseThrow())
          .containsExactly(key("1"), key("2"), key("3"));
      assertThat(people.resolveDone(key("1"), "by phone", Duration.ofDays(1)))
          .isEqualTo(Decision.APPLIED);
      assertThat(guard.once(hold, key("1"), String.class, attempt -> "again"))
          .isEqualTo("by phone");
      assertThat(people.resolveNotDone(key("2"))).isEqualTo(Decision.APPLIED);
      assertThat(guard.once(hold, key("2"), String.class, attempt -> "again")).isEqualTo("again");
      assertThat(people.resolveDoneWithoutReceipt(key("3"), Duration.ofDays(1)))
          .isEqualTo(Decision.APPLIED);
      assertThatExceptionOfType(EffectReceiptNotKeptException.class)
          .isThrownBy(() -> guard.once(hold, key("3"), String.class, attempt -> "again"));
      assertThat(people.inDoubt()).isEmpty();
      assertThat(people.resolveNotDone(key("1"))).isEqualTo(Decision.ALREADY_SETTLED);
      assertThat(people.resolveNotDone(key("none"))).isEqualTo(Decision.NOTHING_THERE);
      assertThat(people.show(key("none"))).isEmpty();
      assertThat(people.show(key("1")).orElseThrow().state()).isEqualTo(EffectRecord.State.DONE);
    }
  }

  @Test
  void forgettingGivesANewProviderKey() {
    try (EffectGuard guard = EffectGuard.builder(store).namespace("ops").build()) {
      String first = guard.once(ONCE, key("1"), String.class, EffectAttempt::providerKey);
      assertThat(guard.operations().forget(key("1"))).isEqualTo(Decision.APPLIED);
      String second = guard.once(ONCE, key("1"), String.class, EffectAttempt::providerKey);

      assertThat(second).isNotEqualTo(first);
      assertThat(guard.once(ONCE, key("1"), String.class, EffectAttempt::providerKey))
          .isEqualTo(second);
    }
  }

  @Test
  void nobodyDecidesAboutWhatRuns() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    try (EffectGuard guard = EffectGuard.builder(store).namespace("ops").build()) {
      CompletableFuture<String> running =
          CompletableFuture.supplyAsync(
              () ->
                  guard.once(
                      ONCE,
                      key("1"),
                      String.class,
                      attempt -> {
                        started.countDown();
                        finish.await();
                        return "sent";
                      }),
              Background.THREADS);
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(guard.operations().forget(key("1"))).isEqualTo(Decision.STILL_RUNNING);
      assertThat(guard.operations().resolveNotDone(key("1"))).isEqualTo(Decision.STILL_RUNNING);
      finish.countDown();
      assertThat(running.get(30, TimeUnit.SECONDS)).isEqualTo("sent");
    }
  }

  @Test
  void anEffectIsForgottenAfterItsRetentionAndAnUnsettledOneNever() {
    try (EffectGuard guard = EffectGuard.builder(store).namespace("ops").build()) {
      EffectPolicy hold =
          ONCE.toBuilder().onUnknown(OnUnknown.HOLD).retention(Duration.ofHours(1)).build();
      guard.once(hold, key("done"), String.class, attempt -> "first");
      guard.tryOnce(
          hold,
          key("doubt"),
          String.class,
          attempt -> {
            throw new IOException("reset");
          });
      clock.now = clock.now.plus(Duration.ofMinutes(59));
      assertThat(guard.once(hold, key("done"), String.class, attempt -> "second"))
          .isEqualTo("first");
      clock.now = clock.now.plus(Duration.ofDays(3650));

      assertThat(guard.once(hold, key("done"), String.class, attempt -> "second"))
          .isEqualTo("second");
      assertThat(guard.tryOnce(hold, key("doubt"), String.class, attempt -> "second").kind())
          .isEqualTo(Kind.IN_DOUBT);
    }
  }

  @Test
  void aClaimThatTookTooLongToAnswerDoesNotStart() {
    AtomicLong nanos = new AtomicLong();
    long[] delay = {Duration.ofSeconds(20).toNanos()};
    EffectStore slow =
        new DelegatingStore(store) {
          @Override
          public CompletionStage<StoreReply> apply(StoreCommand command) {
            if (command instanceof StoreCommand.Claim) {
              nanos.addAndGet(delay[0]);
            }
            return super.apply(command);
          }
        };
    try (EffectGuard guard =
        EffectGuard.builder(slow)
            .namespace("ops")
            .ticker(nanos::get)
            .closeTimeout(Duration.ofSeconds(5))
            .build()) {
      boolean[] ran = {false};
      assertThatExceptionOfType(EffectStoreException.class)
          .isThrownBy(
              () ->
                  guard.once(
                      ONCE.toBuilder()
                          .secondCaller(SecondCaller.waitFor(Duration.ofHours(1)))
                          .build(),
                      key("1"),
                      String.class,
                      attempt -> {
                        ran[0] = true;
                        return "too late";
                      }))
          .withMessageContaining("half the lease");
      assertThat(ran[0]).isFalse();
      delay[0] = 0;
      // Each claim that did not start is given back.
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> guard.operations().show(key("1")).isEmpty());
      assertThat(guard.once(ONCE, key("1"), String.class, attempt -> "sent")).isEqualTo("sent");
    }
  }

  @Test
  void aLostLeaseIsToldToTheRunningCode() {
    CountDownLatch told = new CountDownLatch(1);
    AtomicLong nanos = new AtomicLong();
    CountedMetrics metrics = new CountedMetrics();
    EffectStore renewingNothing =
        new DelegatingStore(store) {
          @Override
          public CompletionStage<StoreReply> apply(StoreCommand command) {
            return command instanceof StoreCommand.Renew
                ? CompletableFuture.failedStage(
                    new EffectStoreException(EffectStoreException.Kind.UNREACHABLE, "gone", null))
                : super.apply(command);
          }
        };
    try (EffectGuard guard =
        EffectGuard.builder(renewingNothing)
            .namespace("ops")
            .ticker(nanos::get)
            .metrics(metrics)
            .build()) {
      String receipt =
          guard.once(
              ONCE,
              key("1"),
              String.class,
              attempt -> {
                attempt.onLeaseLost(
                    () -> {
                      throw new IllegalStateException("logged");
                    });
                attempt.onLeaseLost(told::countDown);
                assertThat(attempt.leaseLost()).isFalse();
                assertThat(attempt.leaseRemaining()).isPositive();
                nanos.addAndGet(Duration.ofSeconds(31).toNanos());
                assertThat(attempt.leaseLost()).isTrue();
                assertThat(attempt.leaseRemaining()).isZero();
                await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> metrics.of(EffectMetrics.Event.LEASE_LOST) == 1);
                assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
                boolean[] atOnce = {false};
                attempt.onLeaseLost(() -> atOnce[0] = true);
                assertThat(atOnce[0]).isTrue();
                return "sent";
              });
      assertThat(receipt).isEqualTo("sent");
    }
  }

  @Test
  void whatThisProcessHasRunIsNotRunAgainHereThoughItsLeaseEndedBeforeTheStoreTookItsEnd() {
    boolean[] away = {true};
    EffectStore forgetful =
        new DelegatingStore(store) {
          @Override
          public CompletionStage<StoreReply> apply(StoreCommand command) {
            return away[0]
                    && (command instanceof StoreCommand.Settle
                        || command instanceof StoreCommand.Renew)
                ? CompletableFuture.failedStage(
                    new EffectStoreException(EffectStoreException.Kind.UNREACHABLE, "gone", null))
                : super.apply(command);
          }
        };
    MailEffect mail =
        new MailEffect().policy(ONCE.toBuilder().lease(Duration.ofMillis(300)).build());
    List<EffectCall<Mail>> calls = List.of(EffectCall.first(key("1"), new Mail("a@b", 1)));
    try (EffectGuard guard = EffectGuard.builder(forgetful).namespace("ops").owner("S1").build()) {
      EffectOutcome<Sent> first = guard.tryOnce(mail, key("1"), new Mail("a@b", 1));
      assertThat(((EffectOutcome.Performed<Sent>) first).recorded()).isFalse();
      clock.now = clock.now.plusSeconds(60);

      EffectOutcome<Sent> second = guard.tryOnce(mail, key("1"), new Mail("a@b", 1));
      assertThat(((EffectOutcome.InProgress<Sent>) second).owner()).isEqualTo("S1");
      assertThat(guard.tryOnceAll(mail, calls).get(0).kind()).isEqualTo(Kind.IN_PROGRESS);
      away[0] = false;

      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> guard.tryOnce(mail, key("1"), new Mail("a@b", 1)).kind() == Kind.REPLAYED);
      assertThat(mail.runs()).isEqualTo(1);
    }
  }

  @Test
  void nothingIsToldOfALeaseThatIsLostAfterItsCodeHasEnded() {
    Lease lease =
        new Lease(
            EffectId.of("ops", key("1")), EffectToken.fresh(), Duration.ofSeconds(1), () -> 0, 0);
    boolean[] told = {false};
    lease.onLost(() -> told[0] = true);
    lease.codeEnded();
    lease.noticeLoss();
    lease.tellLost(e -> {});
    lease.onLost(() -> told[0] = true);
    assertThat(told[0]).isFalse();
  }

  @Test
  void closingWaitsForWhatRunsAndStartsNothing() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    EffectGuard guard = EffectGuard.builder(store).namespace("ops").build();
    CompletableFuture<String> running =
        CompletableFuture.supplyAsync(
            () ->
                guard.once(
                    ONCE,
                    key("1"),
                    String.class,
                    attempt -> {
                      started.countDown();
                      finish.await();
                      return "sent";
                    }),
            Background.THREADS);
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(guard::close, Background.THREADS);
    await().atMost(Duration.ofSeconds(30)).until(() -> refuses(guard));
    assertThat(closing.isDone()).isFalse();
    finish.countDown();
    closing.get(30, TimeUnit.SECONDS);
    assertThat(running.get(30, TimeUnit.SECONDS)).isEqualTo("sent");
    guard.close();
  }

  private static boolean refuses(EffectGuard guard) {
    try {
      guard.once(ONCE, key("2"), String.class, attempt -> "started");
      return false;
    } catch (EffectStoreException e) {
      return e.kind() == EffectStoreException.Kind.CLOSED;
    }
  }

  @Test
  void anInterruptedBulkStartsNothingMoreAndWaitsForWhatRuns() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    MailEffect mail =
        new MailEffect() {
          @Override
          public Sent perform(Mail request, EffectAttempt attempt) throws Exception {
            started.countDown();
            finish.await();
            return super.perform(request, attempt);
          }
        };
    mail.policy(ONCE);
    try (EffectGuard guard = EffectGuard.builder(store).namespace("ops").concurrency(1).build()) {
      CompletableFuture<List<EffectOutcome<Sent>>> outcomes = new CompletableFuture<>();
      Thread caller =
          new Thread(
              () ->
                  outcomes.complete(
                      guard.tryOnceAll(
                          mail,
                          List.of(
                              EffectCall.first(key("1"), new Mail("a@b", 1)),
                              EffectCall.first(key("2"), new Mail("a@b", 1))))));
      caller.start();
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      caller.interrupt();
      finish.countDown();
      assertThat(outcomes.get(30, TimeUnit.SECONDS))
          .extracting(EffectOutcome::kind)
          .containsExactly(Kind.PERFORMED, Kind.UNAVAILABLE);
      assertThat(mail.runs()).isEqualTo(1);
    }
  }

  @Test
  void whatHappensIsCountedInMicrometer() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    MailEffect mail = new MailEffect().policy(ONCE);
    try (EffectGuard guard =
        EffectGuard.builder(store)
            .namespace("ops")
            .metrics(MicrometerEffectMetrics.of(registry))
            .build()) {
      guard.once(mail, key("1"), new Mail("a@b", 1));
      guard.once(mail, key("1"), new Mail("a@b", 2));
      mail.then(new EffectRejectedException("550"));
      guard.tryOnce(mail, key("2"), new Mail("a@b", 1));
    }
    assertThat(
            registry
                .get("idembox.effect.calls")
                .tags("effect", "invoice-mail", "outcome", "performed")
                .counter()
                .count())
        .isEqualTo(1);
    assertThat(registry.get("idembox.effect.calls").tags("outcome", "replayed").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("idembox.effect.calls").tags("outcome", "rejected").counter().count())
        .isEqualTo(1);
    assertThat(
            registry.get("idembox.effect.events").tags("event", "other_request").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("idembox.effect.run").tags("effect", "invoice-mail").timer().count())
        .isEqualTo(2);
    assertThat(registry.get("idembox.effect.claim").timer().count()).isEqualTo(3);
    assertThat(registry.get("idembox.effect.complete").timer().count()).isEqualTo(2);
  }

  @Test
  void aRequestThatCannotBeComparedDoesNotRun() {
    List<Object> self = new java.util.ArrayList<>();
    self.add(self);
    Effect<Object, String> effect =
        new Effect<>() {
          @Override
          public EffectName<Object, String> name() {
            return EffectName.of("odd", Object.class, String.class);
          }

          @Override
          public String perform(Object request, EffectAttempt attempt) {
            throw new AssertionError("ran");
          }
        };
    try (EffectGuard guard = EffectGuard.builder(store).namespace("ops").build()) {
      assertThatExceptionOfType(EffectNotPerformedException.class)
          .isThrownBy(() -> guard.once(effect, key("1"), self))
          .withMessageContaining("fingerprint IGNORE");
      assertThat(guard.tryOnceAll(effect, List.of(EffectCall.first(key("1"), self))).get(0).kind())
          .isEqualTo(Kind.NOT_PERFORMED);
      assertThat(guard.operations().show(key("1"))).isEmpty();
    }
  }

  @Test
  void aCodecMayKeepReceiptsSoThatTheStoreCannotReadThem() {
    EffectCodec secret =
        new EffectCodec() {
          private final EffectCodec json = new JsonEffectCodec();

          @Override
          public byte[] encode(Object value) throws Exception {
            return turned(json.encode(value));
          }

          @Override
          public <T> T decode(byte[] bytes, Class<T> type) throws Exception {
            return json.decode(turned(bytes), type);
          }

          @Override
          public byte[] comparable(Object request) throws Exception {
            return json.comparable(request);
          }

          private byte[] turned(byte[] bytes) {
            byte[] turned = bytes.clone();
            for (int i = 0; i < turned.length; i++) {
              turned[i] ^= 0x5a;
            }
            return turned;
          }
        };
    try (EffectGuard guard = EffectGuard.builder(store).namespace("secret").codec(secret).build()) {
      for (int i = 0; i < 2; i++) {
        assertThat(guard.once(ONCE, key("1"), String.class, attempt -> "card 4711"))
            .isEqualTo("card 4711");
      }
      byte[] kept = guard.operations().show(key("1")).orElseThrow().receipt();
      assertThat(new String(kept, java.nio.charset.StandardCharsets.ISO_8859_1))
          .doesNotContain("4711");
    }
  }

  @Test
  void keysInMessagesAreWrittenAsTheBuilderSays() {
    EffectPolicy hold = ONCE.toBuilder().onUnknown(OnUnknown.HOLD).build();
    try (EffectGuard guard =
        EffectGuard.builder(store)
            .namespace("ops")
            .keyFormat(key -> key.operation() + "[redacted]")
            .build()) {
      assertThatExceptionOfType(EffectInDoubtException.class)
          .isThrownBy(
              () ->
                  guard.once(
                      hold,
                      key("jane@example.com"),
                      String.class,
                      attempt -> {
                        throw new IOException("reset");
                      }))
          .withMessageContaining("mail.invoice[redacted]")
          .matches(e -> !e.getMessage().contains("jane"));
    }
  }
}
