package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectOutcome.Kind;
import io.idembox.testkit.Fault;
import io.idembox.testkit.FaultRelay;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redis applies a script and its reply never arrives, or the connection is slow, mute or gone. */
@WithServers(WithServers.Server.REDIS)
final class LostRepliesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration COMMAND = Duration.ofMillis(500);
  private static final EffectPolicy POLICY =
      EffectPolicy.builder()
          .lease(Duration.ofMillis(1_500))
          .maxAttempts(1)
          .secondCaller(SecondCaller.fail())
          .build();
  private static final EffectPolicy HOLD = POLICY.toBuilder().onUnknown(OnUnknown.HOLD).build();

  private TestScope scope;
  private FaultRelay relay;
  private RedisEffectStore store;
  private EffectGuard guard;
  private final CountedMetrics metrics = new CountedMetrics();
  private final MailEffect mail = new MailEffect().policy(POLICY);

  @BeforeEach
  void open() {
    relay = FaultRelay.to(scope.redis().port());
    store =
        RedisEffectStore.builder("redis://127.0.0.1:" + relay.port())
            .commandTimeout(COMMAND)
            .connect();
    guard =
        EffectGuard.builder(store)
            .namespace(scope.namespace())
            .metrics(metrics)
            .closeTimeout(Duration.ofSeconds(5))
            .build();
    // Each script is known to the server before a reply is dropped, so that exactly one EVALSHA is
    // sent for each.
    guard.once(mail, key("warm"), new Mail("a@b", 1));
    StoreCommands commands = new StoreCommands(scope.namespace());
    applied(
        List.of(
            commands.claim("w1", "w1", POLICY.lease()),
            commands.claim("w2", "w2", POLICY.lease())));
    applied(List.of(commands.done("w1", "w1", "r"), commands.done("w2", "w2", "r")));
  }

  private void applied(List<StoreCommand> commands) {
    store.applyAll(commands).forEach(stage -> stage.toCompletableFuture().join());
  }

  @AfterEach
  void close() {
    relay.pass();
    guard.close();
    store.close();
    relay.close();
  }

  private static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  private EffectRecord record(String id) {
    return guard.operations().show(key(id)).orElse(null);
  }

  @Test
  void aClaimWhoseReplyIsLostIsRecognisedByItsToken() {
    Fault lost = relay.dropReplyTo("EVALSHA");

    assertThat(guard.tryOnce(mail, key("9"), new Mail("a@b", 1)).kind()).isEqualTo(Kind.PERFORMED);

    assertThat(lost.hasHappened()).isTrue();
    assertThat(mail.attempts().get(1).number()).isEqualTo(1);
    assertThat(mail.attempts().get(1).earlierAttemptUnknown()).isFalse();
  }

  @Test
  void aBulkRecognisesItsClaimsToo() {
    Fault lost = relay.dropReplyTo(sha1(RedisScript.CLAIM_ALL));

    assertThat(guard.tryOnceAll(mail, fifty()))
        .extracting(EffectOutcome::kind)
        .containsOnly(Kind.PERFORMED);

    assertThat(lost.hasHappened()).isTrue();
    assertThat(mail.runs()).isEqualTo(51);
    assertThat(mail.attempts())
        .extracting(EffectAttempt::earlierAttemptUnknown)
        .containsOnly(false);
  }

  @Test
  void theEndsOfABulkWhoseReplyIsLostAreSentAgainAndRecognised() {
    Fault lost = relay.dropReplyTo(sha1(RedisScript.SETTLE_ALL));

    assertThat(guard.tryOnceAll(mail, fifty()))
        .allSatisfy(
            outcome -> assertThat(((EffectOutcome.Performed<Sent>) outcome).recorded()).isTrue());

    assertThat(lost.hasHappened()).isTrue();
    assertThat(mail.runs()).isEqualTo(51);
    assertThat(metrics.of(EffectMetrics.Event.LATE_COMPLETION)).isZero();
    for (int i = 0; i < 50; i++) {
      assertThat(record("k" + i).state()).isEqualTo(EffectRecord.State.DONE);
    }
  }

  private String sha1(RedisScript script) {
    return script.text(scope.redis().majorVersion() >= 7).sha1();
  }

  private static List<EffectCall<Mail>> fifty() {
    return IntStream.range(0, 50)
        .mapToObj(i -> EffectCall.first(key("k" + i), new Mail("a@b", i)))
        .toList();
  }

  @Test
  void aCompletionWhoseReplyIsLostIsSentAgainAndRecognised() {
    Fault[] lost = new Fault[1];
    EffectOutcome<String> outcome =
        guard.tryOnce(
            POLICY,
            key("9"),
            String.class,
            attempt -> {
              lost[0] = relay.dropReplyTo("EVALSHA");
              return "sent";
            });

    assertThat(lost[0].hasHappened()).isTrue();
    assertThat(((EffectOutcome.Performed<String>) outcome).recorded()).isTrue();
    assertThat(record("9").state()).isEqualTo(EffectRecord.State.DONE);
    assertThat(metrics.of(EffectMetrics.Event.LATE_COMPLETION)).isZero();
  }

  @Test
  void aReleaseWhoseReplyIsLostLeavesTheKeyFree() {
    Fault[] lost = new Fault[1];
    EffectOutcome<String> outcome =
        guard.tryOnce(
            HOLD,
            key("9"),
            String.class,
            attempt -> {
              lost[0] = relay.dropReplyTo("EVALSHA");
              throw new EffectNotPerformedException("503");
            });

    assertThat(lost[0].hasHappened()).isTrue();
    assertThat(outcome.kind()).isEqualTo(Kind.NOT_PERFORMED);
    assertThat(guard.once(HOLD, key("9"), String.class, attempt -> "sent")).isEqualTo("sent");
  }

  @Test
  void aDoubtWhoseReplyIsLostStaysADoubt() {
    Fault[] lost = new Fault[1];
    EffectOutcome<String> outcome =
        guard.tryOnce(
            HOLD,
            key("9"),
            String.class,
            attempt -> {
              lost[0] = relay.dropReplyTo("EVALSHA");
              throw new IOException("reset");
            });

    assertThat(lost[0].hasHappened()).isTrue();
    assertThat(outcome.kind()).isEqualTo(Kind.IN_DOUBT);
    assertThat(record("9").state()).isEqualTo(EffectRecord.State.IN_DOUBT);
    assertThat(guard.tryOnce(HOLD, key("9"), String.class, attempt -> "again").kind())
        .isEqualTo(Kind.IN_DOUBT);
  }

  @Test
  void aDecisionWhoseReplyIsLostMayBeRepeatedAndDecidesOnce() {
    EffectOperations people = guard.operations();
    for (String id : List.of("done", "not done")) {
      guard.tryOnce(
          HOLD,
          key(id),
          String.class,
          attempt -> {
            throw new IOException("reset");
          });
    }

    assertThat(
            repeated(
                RedisScript.RESOLVE,
                id -> people.resolveDone(key(id), "by phone", Duration.ofDays(1)),
                "done"))
        .isEqualTo(EffectOperations.Decision.ALREADY_SETTLED);
    assertThat(record("done").state()).isEqualTo(EffectRecord.State.DONE);
    assertThat(
            repeated(
                RedisScript.RESOLVE_NOT_DONE, id -> people.resolveNotDone(key(id)), "not done"))
        .isEqualTo(EffectOperations.Decision.NOTHING_THERE);
    assertThat(record("not done")).isNull();
    // A second generation would be a second provider key for nothing.
    assertThat(repeated(RedisScript.FORGET, id -> people.forget(key(id)), "warm"))
        .isEqualTo(EffectOperations.Decision.NOTHING_THERE);
    assertThat(record("warm").generation()).isEqualTo(1);
    assertThat(people.inDoubt()).isEmpty();
  }

  /** The decision, asked for again after its first reply was lost. */
  private EffectOperations.Decision repeated(
      RedisScript script, Function<String, EffectOperations.Decision> decision, String id) {
    // So that the server knows the script.
    var unused = decision.apply("nothing is known of this");
    EffectId known = EffectId.of(scope.namespace(), key("nothing is known of this"));
    store.apply(new StoreCommand.Forget(known)).toCompletableFuture().join();
    Fault lost = relay.dropReplyTo(sha1(script));
    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(() -> decision.apply(id))
        .matches(EffectStoreException::maybeApplied);
    await().atMost(LIMIT).until(lost::hasHappened);
    AtomicReference<EffectOperations.Decision> second = new AtomicReference<>();
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .untilAsserted(() -> second.set(decision.apply(id)));
    return second.get();
  }

  @Test
  void aSweepAndAMarkerWhoseReplyIsLostDoNoHarmTwice() {
    EffectId abandoned = EffectId.of(scope.namespace(), key("abandoned"));
    store
        .apply(
            new StoreCommand.Claim(
                abandoned,
                EffectToken.fresh(),
                key("abandoned"),
                Duration.ofMillis(1),
                true,
                false,
                1,
                0,
                "gone"))
        .toCompletableFuture()
        .join();
    store
        .apply(new StoreCommand.EndLease(EffectId.of(scope.namespace(), key("x"))))
        .toCompletableFuture()
        .join();
    Fault lost =
        relay.dropReplyTo(RedisScript.END_LEASE.text(scope.redis().majorVersion() >= 7).sha1());
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .until(
            () -> {
              guard.operations().sweep();
              return lost.hasHappened();
            });
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .until(() -> record("abandoned").state() == EffectRecord.State.IN_DOUBT);

    String namespace = scope.namespace() + "-new";
    Fault marker = relay.dropReplyTo("local marker = redis.call");
    assertThat(store.marker(namespace)).failsWithin(LIMIT);
    await().atMost(LIMIT).until(marker::hasHappened);
    AtomicReference<StoreMarker> first = new AtomicReference<>();
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .untilAsserted(() -> first.set(store.marker(namespace).toCompletableFuture().join()));
    assertThat(store.marker(namespace).toCompletableFuture().join().id())
        .isEqualTo(first.get().id());
  }

  @Test
  void aRenewalWhoseReplyIsLostCostsNoLease() {
    String sent =
        guard.once(
            POLICY,
            key("9"),
            String.class,
            attempt -> {
              relay.dropReplyTo("EVALSHA").await(LIMIT);
              // Longer than the lease would have lasted without another renewal.
              long startedAt = System.nanoTime();
              await()
                  .atMost(LIMIT)
                  .until(() -> System.nanoTime() - startedAt > POLICY.lease().toNanos());
              assertThat(attempt.leaseLost()).isFalse();
              assertThat(attempt.leaseRemaining()).isPositive();
              return "sent";
            });

    assertThat(sent).isEqualTo("sent");
    assertThat(metrics.of(EffectMetrics.Event.LEASE_LOST)).isZero();
    assertThat(record("9").state()).isEqualTo(EffectRecord.State.DONE);
  }

  @Test
  void aMuteRedisStopsEffectsWithinABoundAndItsClaimsAreFreedAfterwards() {
    relay.pause();
    long startedAt = System.nanoTime();
    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(() -> guard.once(HOLD, key("9"), String.class, attempt -> "unprotected"))
        .matches(e -> e.kind() == EffectStoreException.Kind.TIMEOUT && e.maybeApplied())
        .withMessageContaining("127.0.0.1:" + relay.port());
    assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(COMMAND.multipliedBy(8));
    relay.pass();

    // The claims that were applied late have nobody behind them: under HOLD they would wait for a
    // person.
    await().atMost(LIMIT).until(() -> record("9") == null);
    assertThat(guard.once(HOLD, key("9"), String.class, attempt -> "sent")).isEqualTo("sent");
  }

  @Test
  void aRefusingRedisStopsEffectsAtOnceAndIsFoundAgain() {
    relay.down();
    await().atMost(LIMIT).until(() -> refusedAs(EffectStoreException.Kind.UNREACHABLE));
    int runs = mail.runs();
    List<EffectOutcome<Sent>> bulk =
        guard.tryOnceAll(
            mail,
            List.of(
                EffectCall.first(key("8"), new Mail("a@b", 1)),
                EffectCall.first(key("9"), new Mail("a@b", 1))));
    assertThat(bulk).extracting(EffectOutcome::kind).containsOnly(Kind.UNAVAILABLE);
    assertThat(mail.runs()).isEqualTo(runs);
    relay.pass();

    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .until(() -> guard.once(mail, key("8"), new Mail("a@b", 1)) != null);
    assertThat(mail.runs()).isEqualTo(runs + 1);
  }

  private boolean refusedAs(EffectStoreException.Kind kind) {
    try {
      guard.once(POLICY, key("probe"), String.class, attempt -> "unprotected");
      return false;
    } catch (EffectStoreException e) {
      return e.kind() == kind;
    }
  }

  @Test
  void openRunsUnguardedAndCountsIt() {
    EffectPolicy open = POLICY.toBuilder().onStoreFailure(OnStoreFailure.OPEN).build();
    relay.down();
    await().atMost(LIMIT).until(() -> refusedAs(EffectStoreException.Kind.UNREACHABLE));

    EffectOutcome<String> outcome =
        guard.tryOnce(open, key("9"), String.class, attempt -> "unguarded");

    assertThat(((EffectOutcome.Performed<String>) outcome).recorded()).isFalse();
    assertThat(metrics.of(EffectMetrics.Event.UNGUARDED)).isEqualTo(1);
    relay.pass();
    // What ran unguarded is recorded as soon as it can be.
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .until(() -> record("9") != null);
    assertThat(guard.once(POLICY, key("9"), String.class, attempt -> "again"))
        .isEqualTo("unguarded");
  }

  @Test
  void anEffectThatRanWhileRedisWentAwayIsRecordedWhenItComesBack() {
    EffectOutcome<String> outcome =
        guard.tryOnce(
            POLICY,
            key("9"),
            String.class,
            attempt -> {
              relay.down();
              return "sent";
            });

    assertThat(outcome).isInstanceOf(EffectOutcome.Performed.class);
    assertThat(((EffectOutcome.Performed<String>) outcome).recorded()).isFalse();
    assertThat(metrics.of(EffectMetrics.Event.UNRECORDED)).isEqualTo(1);
    relay.pass();
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .until(() -> record("9") != null && record("9").state() == EffectRecord.State.DONE);
    assertThat(guard.once(POLICY, key("9"), String.class, attempt -> "again")).isEqualTo("sent");
  }

  @Test
  void anInterruptBeforeTheStartRunsNothingAndLeavesNoClaimBehind() throws Exception {
    relay.pause();
    Thread[] caller = new Thread[1];
    Throwable[] thrown = new Throwable[1];
    caller[0] =
        new Thread(
            () -> {
              try {
                guard.once(HOLD, key("9"), String.class, attempt -> "unprotected");
              } catch (EffectInterruptedException e) {
                thrown[0] = e;
              }
            });
    caller[0].start();
    await().atMost(LIMIT).until(() -> caller[0].getState() == Thread.State.WAITING);
    caller[0].interrupt();
    caller[0].join(TimeUnit.SECONDS.toMillis(30));
    assertThat(thrown[0]).hasMessageContaining("nothing ran");
    relay.pass();
    await().atMost(LIMIT).until(() -> record("9") == null);
  }
}
