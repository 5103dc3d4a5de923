package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.idembox.effect.EffectOutcome.Kind;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the guard promises, on every store. */
@WithServers({})
abstract class EffectGuardContract {
  TestScope scope;
  EffectStore store;
  EffectGuard guard;

  abstract EffectStore store();

  @BeforeEach
  void open() {
    store = store();
    guard = guard();
  }

  @AfterEach
  void closeGuard() {
    guard.close();
    store.close();
  }

  EffectGuard guard() {
    return EffectGuard.builder(store)
        .namespace(scope.namespace())
        .owner("tester")
        .closeTimeout(Duration.ofSeconds(5))
        .build();
  }

  static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  static EffectPolicy.Builder once() {
    return EffectPolicy.builder().maxAttempts(1).secondCaller(SecondCaller.fail());
  }

  @Test
  void theCodeRunsOnceAndLaterCallersGetItsReceipt() {
    MailEffect mail = new MailEffect();

    Sent first = guard.once(mail, key("9"), new Mail("a@b", 10));
    Sent second = guard.once(mail, key("9"), new Mail("a@b", 10));

    assertThat(first).isEqualTo(new Sent("receipt-1"));
    assertThat(second).isEqualTo(first);
    assertThat(mail.runs()).isEqualTo(1);
    assertThat(guard.tryOnce(mail, key("9"), new Mail("a@b", 10)).kind()).isEqualTo(Kind.REPLAYED);
  }

  @Test
  void nullIsAReceiptToo() {
    int[] runs = {0};
    EffectCode<String> code =
        attempt -> {
          runs[0]++;
          return null;
        };

    assertThat(guard.once(EffectPolicy.defaults(), key("9"), String.class, code)).isNull();
    assertThat(guard.once(EffectPolicy.defaults(), key("9"), String.class, code)).isNull();
    assertThat(runs[0]).isEqualTo(1);
  }

  @Test
  void anotherNamespaceIsAnotherWorld() {
    MailEffect mail = new MailEffect();
    try (EffectGuard other =
        EffectGuard.builder(store).namespace(scope.namespace() + "-2").build()) {
      guard.once(mail, key("9"), new Mail("a@b", 10));
      other.once(mail, key("9"), new Mail("a@b", 10));
    }
    assertThat(mail.runs()).isEqualTo(2);
  }

  @Test
  void notPerformedFreesTheKeyAndIsTriedAgainWithinTheCall() {
    MailEffect mail = new MailEffect().policy(fastRetries(3));
    mail.then(new EffectNotPerformedException("503"), new EffectNotPerformedException("503"));

    Sent sent = guard.once(mail, key("9"), new Mail("a@b", 10));

    assertThat(sent).isEqualTo(new Sent("receipt-3"));
    assertThat(mail.attempts())
        .extracting(EffectAttempt::earlierAttemptUnknown)
        .containsOnly(false);
  }

  @Test
  void notPerformedToTheLastAttemptIsTheOutcomeAndTheKeyIsFree() {
    MailEffect mail = new MailEffect().policy(fastRetries(2));
    mail.then(new EffectNotPerformedException("503"), new EffectNotPerformedException("still 503"));

    assertThatExceptionOfType(EffectNotPerformedException.class)
        .isThrownBy(() -> guard.once(mail, key("9"), new Mail("a@b", 10)))
        .withMessage("still 503");
    assertThat(guard.once(mail, key("9"), new Mail("a@b", 10))).isEqualTo(new Sent("receipt-3"));
  }

  @Test
  void aRejectionIsRememberedAndTold() {
    MailEffect mail = new MailEffect();
    mail.then(new EffectRejectedException("550 no such user"));

    assertThatExceptionOfType(EffectRejectedException.class)
        .isThrownBy(() -> guard.once(mail, key("9"), new Mail("a@b", 10)))
        .matches(e -> !e.replayed());
    assertThatExceptionOfType(EffectRejectedException.class)
        .isThrownBy(() -> guard.once(mail, key("9"), new Mail("a@b", 10)))
        .matches(e -> e.replayed() && e.reason().equals("550 no such user"));
    assertThat(mail.runs()).isEqualTo(1);
  }

  @Test
  void aRejectionWithoutAReasonIsARejectionToo() {
    MailEffect mail = new MailEffect();
    mail.then(new EffectRejectedException(null));

    List<EffectOutcome<Sent>> outcomes =
        guard.tryOnceAll(mail, List.of(EffectCall.first(key("9"), new Mail("a@b", 10))));

    assertThat(outcomes).extracting(EffectOutcome::kind).containsExactly(Kind.REJECTED);
    assertThat(guard.tryOnce(mail, key("9"), new Mail("a@b", 10)).kind()).isEqualTo(Kind.REJECTED);
    assertThat(mail.runs()).isEqualTo(1);
  }

  @Test
  void aResolverThatAnswersNothingDoesNotSayNo() {
    ResolvableMailEffect careless = new ResolvableMailEffect(attempt -> null);
    careless.then(new IOException("connection reset"));
    assertThat(guard.tryOnce(careless, key("9"), new Mail("a@b", 10)).kind())
        .isEqualTo(Kind.IN_DOUBT);

    assertThat(guard.tryOnce(careless, key("9"), new Mail("a@b", 10)).kind())
        .isEqualTo(Kind.IN_DOUBT);
    assertThat(careless.runs()).isEqualTo(1);
  }

  @Test
  void anErrorWhileTheReceiptIsEncodedMeansDoneAndNotKept() {
    AtomicInteger runs = new AtomicInteger();
    EffectCode<Object> code =
        attempt -> {
          runs.incrementAndGet();
          return new Unloadable();
        };
    guard.once(EffectPolicy.defaults(), key("9"), Object.class, code);

    assertThatExceptionOfType(EffectReceiptNotKeptException.class)
        .isThrownBy(() -> guard.once(EffectPolicy.defaults(), key("9"), Object.class, code));
    assertThat(runs).hasValue(1);
  }

  /** A receipt whose class misses another one, as after a deploy that forgot a jar. */
  static final class Unloadable {
    public String getText() {
      return Objects.requireNonNullElseGet(null, Unloadable::missing);
    }

    private static String missing() {
      throw new NoClassDefFoundError("com/example/Missing");
    }
  }

  @Test
  void anUnknownOutcomeUnderRetryRunsAgainWithTheSameProviderKey() {
    MailEffect mail = new MailEffect().policy(once().build());
    mail.then(new IOException("connection reset"));

    assertThatExceptionOfType(EffectInDoubtException.class)
        .isThrownBy(() -> guard.once(mail, key("9"), new Mail("a@b", 10)))
        .withCauseInstanceOf(IOException.class);
    guard.once(mail, key("9"), new Mail("a@b", 10));

    assertThat(mail.attempts()).extracting(EffectAttempt::number).containsExactly(1, 2);
    assertThat(mail.attempts())
        .extracting(EffectAttempt::earlierAttemptUnknown)
        .containsExactly(false, true);
    assertThat(mail.attempts())
        .extracting(EffectAttempt::providerKey)
        .containsOnly(mail.attempts().get(0).providerKey());
    assertThat(mail.attempts().get(0).providerKey()).matches("[a-z0-9-]{1,64}");
    assertThat(mail.attempts().get(1).fence()).isGreaterThan(mail.attempts().get(0).fence());
  }

  @Test
  void anUnknownOutcomeUnderHoldNeverRunsAgain() {
    MailEffect mail =
        new MailEffect().policy(once().onUnknown(OnUnknown.HOLD).maxAttempts(3).build());
    mail.then(new IOException("connection reset"));

    for (int i = 0; i < 3; i++) {
      assertThat(guard.tryOnce(mail, key("9"), new Mail("a@b", 10)).kind())
          .isEqualTo(Kind.IN_DOUBT);
    }
    assertThat(mail.runs()).isEqualTo(1);
  }

  @Test
  void anUnknownOutcomeUnderResolveIsAskedForFirst() {
    ResolvableMailEffect happened =
        new ResolvableMailEffect(attempt -> Resolution.happened(new Sent("found")));
    happened.then(new IOException("connection reset"));
    assertThat(guard.tryOnce(happened, key("1"), new Mail("a@b", 10)).kind())
        .isEqualTo(Kind.IN_DOUBT);
    assertThat(guard.once(happened, key("1"), new Mail("a@b", 10))).isEqualTo(new Sent("found"));
    assertThat(guard.once(happened, key("1"), new Mail("a@b", 10))).isEqualTo(new Sent("found"));
    assertThat(happened.runs()).isEqualTo(1);

    ResolvableMailEffect not = new ResolvableMailEffect(attempt -> Resolution.didNotHappen());
    not.then(new IOException("connection reset"));
    assertThat(guard.tryOnce(not, key("2"), new Mail("a@b", 10)).kind()).isEqualTo(Kind.IN_DOUBT);
    assertThat(guard.once(not, key("2"), new Mail("a@b", 10))).isEqualTo(new Sent("receipt-2"));

    ResolvableMailEffect unknown =
        new ResolvableMailEffect(attempt -> Resolution.stillUnknown("mailbox is down"));
    unknown.then(new IOException("connection reset"));
    assertThat(guard.tryOnce(unknown, key("3"), new Mail("a@b", 10)).kind())
        .isEqualTo(Kind.IN_DOUBT);
    assertThat(guard.tryOnce(unknown, key("3"), new Mail("a@b", 10)).kind())
        .isEqualTo(Kind.IN_DOUBT);
    assertThat(unknown.runs()).isEqualTo(1);
  }

  @Test
  void aRunThatDidNothingLeavesTheDoubtAboutTheRunBefore() {
    MailEffect mail = new MailEffect().policy(once().build());
    mail.then(new IOException("connection reset"), new EffectNotPerformedException("503"));

    guard.tryOnce(mail, key("9"), new Mail("a@b", 10));
    EffectOutcome<Sent> second = guard.tryOnce(mail, key("9"), new Mail("a@b", 10));
    guard.tryOnce(mail, key("9"), new Mail("a@b", 10));

    assertThat(second.kind()).isEqualTo(Kind.IN_DOUBT);
    assertThat(mail.attempts())
        .extracting(EffectAttempt::earlierAttemptUnknown)
        .containsExactly(false, true, true);
  }

  @Test
  void aCallThatKnowsOfAnEarlierAttemptIsNeverAFirstRun() {
    MailEffect hold = new MailEffect().policy(once().onUnknown(OnUnknown.HOLD).build());
    MailEffect retry = new MailEffect().policy(once().build());

    EffectOutcome<Sent> held =
        guard
            .tryOnceAll(hold, List.of(new EffectCall<>(key("1"), new Mail("a@b", 1), 2, true)))
            .get(0);
    EffectOutcome<Sent> run =
        guard
            .tryOnceAll(retry, List.of(new EffectCall<>(key("2"), new Mail("a@b", 1), 2, true)))
            .get(0);

    assertThat(held.kind()).isEqualTo(Kind.IN_DOUBT);
    assertThat(hold.runs()).isZero();
    assertThat(run.kind()).isEqualTo(Kind.PERFORMED);
    assertThat(retry.attempts().get(0).number()).isEqualTo(2);
    assertThat(retry.attempts().get(0).earlierAttemptUnknown()).isTrue();
  }

  @Test
  void aSecondCallerFailsOrWaitsAsItsPolicySays() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    EffectCode<String> slow =
        attempt -> {
          started.countDown();
          finish.await();
          return "slow";
        };
    CompletableFuture<String> first =
        CompletableFuture.supplyAsync(
            () -> guard.once(EffectPolicy.defaults(), key("9"), String.class, slow),
            Background.THREADS);
    assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();

    assertThatExceptionOfType(EffectInProgressException.class)
        .isThrownBy(() -> guard.once(once().build(), key("9"), String.class, attempt -> "second"))
        .withMessageContaining("mail.invoice[9]")
        .matches(e -> e.owner().equals("tester"));
    EffectPolicy briefly = once().secondCaller(SecondCaller.waitFor(Duration.ofMillis(50))).build();
    assertThat(guard.tryOnce(briefly, key("9"), String.class, attempt -> "third").kind())
        .isEqualTo(Kind.IN_PROGRESS);
    CompletableFuture<String> waiter =
        CompletableFuture.supplyAsync(
            () -> guard.once(EffectPolicy.defaults(), key("9"), String.class, attempt -> "fourth"),
            Background.THREADS);
    finish.countDown();

    assertThat(waiter.get(30, TimeUnit.SECONDS)).isEqualTo("slow");
    assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("slow");
  }

  @Test
  void anotherRequestUnderOneKeyIsMarkedOrRefusedAsThePolicySays() {
    MailEffect warn = new MailEffect();
    MailEffect reject = new MailEffect().policy(once().fingerprint(OnMismatch.REJECT).build());
    MailEffect ignore = new MailEffect().policy(once().fingerprint(OnMismatch.IGNORE).build());
    guard.once(warn, key("9"), new Mail("a@b", 10));

    EffectOutcome<Sent> warned = guard.tryOnce(warn, key("9"), new Mail("a@b", 12));
    assertThat(otherRequest(warned)).isTrue();
    assertThat(otherRequest(guard.tryOnce(warn, key("9"), new Mail("a@b", 10)))).isFalse();
    assertThatExceptionOfType(EffectMismatchException.class)
        .isThrownBy(() -> guard.once(reject, key("9"), new Mail("a@b", 12)))
        .withMessageContaining("mail.invoice[9]");
    assertThat(
            guard
                .tryOnceAll(reject, List.of(EffectCall.first(key("9"), new Mail("a@b", 12))))
                .get(0)
                .kind())
        .isEqualTo(Kind.MISMATCH);
    assertThat(otherRequest(guard.tryOnce(ignore, key("9"), new Mail("a@b", 12)))).isFalse();
    assertThat(warn.runs() + reject.runs() + ignore.runs()).isEqualTo(1);
  }

  @Test
  void aRunInDoubtIsNotRepeatedWithAnotherRequest() {
    MailEffect mail = new MailEffect().policy(once().build());
    mail.then(new IOException("connection reset"));
    guard.tryOnce(mail, key("9"), new Mail("a@b", 10));

    assertThat(guard.tryOnce(mail, key("9"), new Mail("a@b", 12)).kind()).isEqualTo(Kind.MISMATCH);
    assertThat(guard.tryOnce(mail, key("9"), new Mail("a@b", 10)).kind()).isEqualTo(Kind.PERFORMED);
  }

  @Test
  void aReceiptOverTheCapOrWithoutAFormMeansDoneAndIsNotKept() {
    EffectPolicy small = once().receiptCap(64).build();
    String large = "x".repeat(65);
    assertThat(guard.once(small, key("large"), String.class, attempt -> large)).isEqualTo(large);
    assertThatExceptionOfType(EffectReceiptNotKeptException.class)
        .isThrownBy(() -> guard.once(small, key("large"), String.class, attempt -> "again"));

    List<Object> self = new ArrayList<>();
    self.add(self);
    assertThat(guard.once(small, key("self"), Object.class, attempt -> self)).isSameAs(self);
    assertThatExceptionOfType(EffectReceiptNotKeptException.class)
        .isThrownBy(() -> guard.once(small, key("self"), Object.class, attempt -> "again"));
  }

  @Test
  void aReceiptThatDoesNotFitTheWantedTypeIsAnErrorAndNeverARun() {
    guard.once(EffectPolicy.defaults(), key("9"), String.class, attempt -> "text");

    assertThatExceptionOfType(EffectReceiptUnreadableException.class)
        .isThrownBy(
            () ->
                guard.once(
                    EffectPolicy.defaults(), key("9"), Sent.class, attempt -> new Sent("again")))
        .withMessageContaining("mail.invoice[9]")
        .withMessageContaining("String")
        .withMessageContaining(Sent.class.getName());
  }

  @Test
  void aRunThatOutlivesItsTimeoutKeepsItsKeyAndSettlesWhatItEndsWith() throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    EffectPolicy hasty = once().timeout(Duration.ofMillis(50)).build();

    EffectOutcome<String> gaveUp =
        guard.tryOnce(
            hasty,
            key("9"),
            String.class,
            attempt -> {
              finish.await();
              return "late";
            });
    assertThat(gaveUp.kind()).isEqualTo(Kind.IN_DOUBT);
    assertThat(guard.tryOnce(hasty, key("9"), String.class, attempt -> "second").kind())
        .isEqualTo(Kind.IN_PROGRESS);
    finish.countDown();

    EffectPolicy patient =
        once().secondCaller(SecondCaller.waitFor(Duration.ofSeconds(30))).build();
    assertThat(guard.once(patient, key("9"), String.class, attempt -> "third")).isEqualTo("late");
  }

  @Test
  void aBulkAnswersEachCallInOrder() {
    MailEffect mail = new MailEffect().policy(once().build());
    guard.once(mail, key("known"), new Mail("a@b", 0));
    List<EffectCall<Mail>> calls = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      calls.add(EffectCall.first(key("k" + i), new Mail("a@b", i)));
    }
    calls.add(EffectCall.first(key("known"), new Mail("a@b", 0)));
    calls.add(EffectCall.first(key("k7"), new Mail("a@b", 7)));

    List<EffectOutcome<Sent>> outcomes = guard.tryOnceAll(mail, calls);

    assertThat(outcomes).hasSize(202);
    for (int i = 0; i < 202; i++) {
      assertThat(outcomes.get(i).key()).isEqualTo(calls.get(i).key());
      assertThat(outcomes.get(i).kind()).isEqualTo(i < 200 ? Kind.PERFORMED : Kind.REPLAYED);
    }
    assertThat(mail.runs()).isEqualTo(201);
    assertThat(guard.tryOnceAll(mail, calls))
        .extracting(EffectOutcome::kind)
        .containsOnly(Kind.REPLAYED);
    assertThat(guard.tryOnceAll(mail, List.of())).isEmpty();
  }

  @Test
  void aBulkGivesEachFailureAsItsCallsOutcome() {
    MailEffect mail = new MailEffect().policy(once().build());
    mail.failing(
        request ->
            switch (request.amount()) {
              case 0 -> new EffectNotPerformedException("503");
              case 1 -> new EffectRejectedException("550");
              case 2 -> new IOException("reset");
              case 3 -> new AssertionError("bug");
              default -> null;
            });
    List<EffectCall<Mail>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(EffectCall.first(key("k" + i), new Mail("a@b", i)));
    }

    assertThat(guard.tryOnceAll(mail, calls))
        .extracting(EffectOutcome::kind)
        .containsExactly(
            Kind.NOT_PERFORMED, Kind.REJECTED, Kind.IN_DOUBT, Kind.IN_DOUBT, Kind.PERFORMED);
  }

  @Test
  void aBulkRunsNoMoreAtOnceThanTheGuardsConcurrency() {
    try (EffectGuard narrow =
        EffectGuard.builder(store).namespace(scope.namespace() + "-n").concurrency(3).build()) {
      MailEffect mail = new MailEffect().policy(once().build()).slow(Duration.ofMillis(2));
      List<EffectCall<Mail>> calls = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        calls.add(EffectCall.first(key("k" + i), new Mail("a@b", i)));
      }
      assertThat(narrow.tryOnceAll(mail, calls))
          .extracting(EffectOutcome::kind)
          .containsOnly(Kind.PERFORMED);
      assertThat(mail.mostAtOnce()).isBetween(1, 3);
    }
  }

  @Test
  void aClosedGuardStartsNothing() {
    MailEffect mail = new MailEffect();
    guard.close();

    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(() -> guard.once(mail, key("9"), new Mail("a@b", 10)))
        .matches(e -> e.kind() == EffectStoreException.Kind.CLOSED);
    assertThat(
            guard
                .tryOnceAll(mail, List.of(EffectCall.first(key("9"), new Mail("a@b", 1))))
                .get(0)
                .kind())
        .isEqualTo(Kind.UNAVAILABLE);
    assertThat(mail.runs()).isZero();
  }

  private static boolean otherRequest(EffectOutcome<?> outcome) {
    return ((EffectOutcome.Replayed<?>) outcome).otherRequest();
  }

  static EffectPolicy fastRetries(int attempts) {
    return EffectPolicy.builder()
        .maxAttempts(attempts)
        .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
        .build();
  }
}
