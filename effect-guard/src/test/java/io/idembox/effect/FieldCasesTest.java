package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.idembox.effect.EffectOutcome.Kind;
import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.FaultRelay;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Situations that people met in production, at the guard's level, on a real Redis. C44 and C45 (b)
 * need processes that die and freeze: {@link ProcessDeathTest}. C52's servers: {@link
 * RedisTroubleTest}.
 */
@WithServers(WithServers.Server.REDIS)
final class FieldCasesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final EffectKey.Operation MAIL = EffectKey.of("mail.invoice");

  private TestScope scope;
  private RedisEffectStore store;
  private EffectGuard guard;
  private final CountedMetrics metrics = new CountedMetrics();

  @BeforeEach
  void open() {
    store = RedisEffectStore.connect(scope.redis().uri());
    guard =
        EffectGuard.builder(store)
            .namespace(scope.namespace())
            .metrics(metrics)
            .owner("S1")
            .build();
  }

  @AfterEach
  void close() {
    guard.close();
    store.close();
  }

  @Test
  void c38OneBusinessEffectAskedForThreeTimesIsOneMailAndOneReceipt() {
    MailEffect mail = new MailEffect();
    try (EffectGuard second =
        EffectGuard.builder(store).namespace(scope.namespace()).owner("S2").build()) {
      Sent created = guard.once(mail, MAIL.id(9), new Mail("a@b", 10));
      Sent paid = second.once(mail, MAIL.id(9), new Mail("a@b", 10));
      Sent again = guard.once(mail, MAIL.id(9), new Mail("a@b", 10));
      assertThat(List.of(created, paid, again)).containsOnly(created);

      List<CompletableFuture<Sent>> together = new ArrayList<>();
      for (EffectGuard service : List.of(guard, second, guard)) {
        together.add(
            CompletableFuture.supplyAsync(
                () -> service.once(mail, MAIL.id(10), new Mail("a@b", 10)), Background.THREADS));
      }
      assertThat(together.stream().map(CompletableFuture::join).distinct()).hasSize(1);
    }
    assertThat(mail.runs()).isEqualTo(2);
  }

  @Test
  void c39OddCharactersNeverMeanUnprotected() {
    List<String> ids =
        List.of(
            "9:invoice",
            "9 invoice",
            " 9",
            "9 ",
            "9\t",
            "9\n",
            "{9}",
            "9*?[",
            "\u00c4",
            "A\u0308",
            "ORD-1",
            "ord-1",
            "\ud83d\ude00",
            "a\u0000b",
            "x".repeat(4_000),
            "y".repeat(10_240));
    MailEffect mail = new MailEffect();
    for (String id : ids) {
      guard.once(mail, MAIL.id(id), new Mail("a@b", 1));
      assertThat(guard.tryOnce(mail, MAIL.id(id), new Mail("a@b", 1)).kind())
          .as(id)
          .isEqualTo(Kind.REPLAYED);
    }
    assertThat(mail.runs()).isEqualTo(ids.size());
  }

  @Test
  void c40PartsThatJoinToTheSameTextAreEightEffectsOfWhichOneIsAnError() {
    List<EffectKey> keys =
        List.of(
            MAIL.id("a", "bc"),
            MAIL.id("ab", "c"),
            MAIL.id("a|b", "c"),
            MAIL.id("a", "b|c"),
            MAIL.id("org:x", "1"),
            MAIL.id("org", "x:1"),
            MAIL.id("a"));
    MailEffect mail = new MailEffect();
    for (int round = 0; round < 2; round++) {
      keys.forEach(key -> guard.once(mail, key, new Mail("a@b", 1)));
      assertThat(mail.runs()).isEqualTo(7);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MAIL.id("a", ""))
        .withMessageContaining("part 2");
  }

  @Test
  void c42AnotherOperationIsAnotherEffectAndOtherContentIsVisible() {
    MailEffect mail = new MailEffect();
    guard.once(mail, MAIL.id(9), new Mail("a@b", 10));
    guard.once(mail, EffectKey.of("sms.invoice").id(9), new Mail("a@b", 10));
    assertThat(mail.runs()).isEqualTo(2);

    EffectOutcome<Sent> corrected = guard.tryOnce(mail, MAIL.id(9), new Mail("a@b", 12));

    assertThat(mail.runs()).isEqualTo(2);
    assertThat(((EffectOutcome.Replayed<Sent>) corrected).otherRequest()).isTrue();
    assertThat(metrics.of(EffectMetrics.Event.OTHER_REQUEST)).isEqualTo(1);
    MailEffect strict =
        new MailEffect().policy(EffectPolicy.builder().fingerprint(OnMismatch.REJECT).build());
    assertThatExceptionOfType(EffectMismatchException.class)
        .isThrownBy(() -> guard.once(strict, MAIL.id(9), new Mail("a@b", 12)))
        .withMessageContaining("mail.invoice[9]");
  }

  @Test
  void c45TheLeaseOfASlowEffectIsRenewedAndItsWaiterGivesUp() throws Exception {
    Duration lease = Duration.ofMillis(900);
    EffectPolicy slow =
        EffectPolicy.builder()
            .lease(lease)
            .secondCaller(SecondCaller.waitFor(Duration.ofMillis(200)))
            .build();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    try (RedisEffectStore quick =
            RedisEffectStore.builder(scope.redis().uri())
                .commandTimeout(lease.dividedBy(3))
                .connect();
        EffectGuard first =
            EffectGuard.builder(quick)
                .namespace(scope.namespace())
                .owner("S1")
                .metrics(metrics)
                .build();
        EffectGuard second =
            EffectGuard.builder(quick).namespace(scope.namespace()).owner("S2").build()) {
      CompletableFuture<String> running =
          CompletableFuture.supplyAsync(
              () ->
                  first.once(
                      slow,
                      MAIL.id(9),
                      String.class,
                      attempt -> {
                        started.countDown();
                        finish.await();
                        return "S1's receipt";
                      }),
              Background.THREADS);
      assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
      long until = System.nanoTime() + lease.toNanos() * 3;
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                assertThatExceptionOfType(EffectInProgressException.class)
                    .isThrownBy(() -> second.once(slow, MAIL.id(9), String.class, attempt -> "S2"))
                    .withMessageContaining("mail.invoice[9]")
                    .withMessageContaining("S1");
                return System.nanoTime() > until;
              });
      finish.countDown();
      assertThat(running.get(30, TimeUnit.SECONDS)).isEqualTo("S1's receipt");
      assertThat(second.once(slow, MAIL.id(9), String.class, attempt -> "S2"))
          .isEqualTo("S1's receipt");
      assertThat(metrics.of(EffectMetrics.Event.LEASE_LOST)).isZero();
    }
  }

  @Test
  void c47OnlyDeclaredFailuresAreRemembered() {
    MailEffect flaky = new MailEffect();
    flaky.then(new EffectNotPerformedException("503"), new EffectNotPerformedException("503"));
    assertThat(guard.once(flaky, MAIL.id("a"), new Mail("a@b", 1)))
        .isEqualTo(new Sent("receipt-3"));

    MailEffect refusing = new MailEffect();
    refusing.then(new EffectRejectedException("400 no such customer"));
    for (boolean replayed : new boolean[] {false, true}) {
      assertThatExceptionOfType(EffectRejectedException.class)
          .isThrownBy(() -> guard.once(refusing, MAIL.id("b"), new Mail("a@b", 1)))
          .matches(e -> e.replayed() == replayed);
    }
    assertThat(guard.operations().forget(MAIL.id("b")))
        .isEqualTo(EffectOperations.Decision.APPLIED);
    assertThat(guard.once(refusing, MAIL.id("b"), new Mail("a@b", 1)))
        .isEqualTo(new Sent("receipt-2"));

    MailEffect hangingUp = new MailEffect().policy(EffectPolicy.builder().maxAttempts(1).build());
    hangingUp.then(new IOException("connection reset"));
    assertThat(guard.tryOnce(hangingUp, MAIL.id("c"), new Mail("a@b", 1)).kind())
        .isEqualTo(Kind.IN_DOUBT);
    assertThat(guard.tryOnce(hangingUp, MAIL.id("c"), new Mail("a@b", 1)).kind())
        .isEqualTo(Kind.PERFORMED);
    assertThat(hangingUp.attempts().get(1).providerKey())
        .isEqualTo(hangingUp.attempts().get(0).providerKey());
  }

  record ReceiptV1(String id, String removed) {}

  record ReceiptV2(String id, int added) {}

  @Test
  void c48ReceiptsThatAreNullOldOrDamagedNeverMeanARun() {
    int[] runs = {0};
    for (int i = 0; i < 2; i++) {
      assertThat(
              guard.once(
                  EffectPolicy.defaults(),
                  MAIL.id("a"),
                  Void.class,
                  attempt -> {
                    runs[0]++;
                    return null;
                  }))
          .isNull();
    }
    assertThat(runs[0]).isEqualTo(1);

    guard.once(
        EffectPolicy.defaults(), MAIL.id("b"), ReceiptV1.class, attempt -> new ReceiptV1("m", "x"));
    assertThatExceptionOfType(EffectReceiptUnreadableException.class)
        .isThrownBy(
            () ->
                guard.once(
                    EffectPolicy.defaults(),
                    MAIL.id("b"),
                    ReceiptV2.class,
                    attempt -> new ReceiptV2("again", 1)))
        .withMessageContaining("mail.invoice[b]")
        .withMessageContaining("ReceiptV1")
        .withMessageContaining(ReceiptV2.class.getName());

    try (RawRedis raw = new RawRedis(scope.redis().uri())) {
      EffectId id = EffectId.of(scope.namespace(), MAIL.id("b"));
      raw.set(
          id,
          EffectRecord.settled(EffectRecord.State.DONE, true, 0, 0, 0, 0, StoreCommands.utf8("xx"))
              .encode());
      assertThatExceptionOfType(EffectReceiptUnreadableException.class)
          .isThrownBy(
              () ->
                  guard.once(
                      EffectPolicy.defaults(),
                      MAIL.id("b"),
                      ReceiptV2.class,
                      attempt -> new ReceiptV2("again", 1)))
          .withMessageContaining("mail.invoice[b]");
      raw.set(id, StoreCommands.utf8("xx"));
      assertThatExceptionOfType(EffectRecordUnreadableException.class)
          .isThrownBy(
              () ->
                  guard.once(
                      EffectPolicy.defaults(),
                      MAIL.id("b"),
                      ReceiptV2.class,
                      attempt -> new ReceiptV2("again", 1)))
          .withMessageContaining("mail.invoice[b]");
      raw.commands()
          .lpush(
              RedisKeys.record(EffectId.of(scope.namespace(), MAIL.id("list")).hash()),
              StoreCommands.utf8("x"));
      assertThatExceptionOfType(EffectStoreException.class)
          .isThrownBy(
              () ->
                  guard.once(
                      EffectPolicy.defaults(), MAIL.id("list"), String.class, attempt -> "again"))
          .withMessageContaining("WRONGTYPE");
    }
  }

  @Test
  void c50WhileRedisIsAwayOrSlowNothingRunsAndAfterwardsEachRunsOnce() {
    MailEffect mail =
        new MailEffect().policy(EffectPolicy.builder().lease(Duration.ofSeconds(2)).build());
    try (FaultRelay relay = FaultRelay.to(scope.redis().port());
        RedisEffectStore far =
            RedisEffectStore.builder("redis://127.0.0.1:" + relay.port())
                .commandTimeout(Duration.ofMillis(300))
                .connect();
        EffectGuard guarded = EffectGuard.builder(far).namespace(scope.namespace()).build()) {
      List<Runnable> faults =
          List.of(relay::down, relay::blackhole, () -> relay.latency(Duration.ofSeconds(5)));
      int orders = 0;
      for (Runnable fault : faults) {
        fault.run();
        int before = mail.runs();
        List<EffectKey> asked = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          EffectKey key = MAIL.id(orders++);
          asked.add(key);
          long startedAt = System.nanoTime();
          assertThatExceptionOfType(EffectStoreException.class)
              .isThrownBy(() -> guarded.once(mail, key, new Mail("a@b", 1)));
          assertThat(Duration.ofNanos(System.nanoTime() - startedAt))
              .isLessThan(Duration.ofSeconds(5));
        }
        assertThat(mail.runs()).isEqualTo(before);
        relay.latency(Duration.ZERO);
        relay.pass();
        for (EffectKey key : asked) {
          await()
              .atMost(LIMIT)
              .ignoreExceptionsInstanceOf(EffectException.class)
              .until(() -> guarded.once(mail, key, new Mail("a@b", 1)) != null);
        }
        assertThat(mail.runs()).isEqualTo(before + 3);
      }
      assertThat(mail.attempts())
          .extracting(EffectAttempt::earlierAttemptUnknown)
          .containsOnly(false);
    }
  }

  @Test
  void c52WhileRedisLoadsNothingRuns() throws IOException {
    try (RespStub loading = new RespStub("-LOADING Redis is loading the dataset in memory")) {
      loading.answerInfo();
      try (RedisEffectStore stub = RedisEffectStore.connect("redis://127.0.0.1:" + loading.port());
          EffectGuard guarded =
              EffectGuard.builder(stub).namespace("x").closeTimeout(Duration.ZERO).build()) {
        MailEffect mail = new MailEffect();
        assertThatExceptionOfType(EffectStoreException.class)
            .isThrownBy(() -> guarded.once(mail, MAIL.id(9), new Mail("a@b", 1)))
            .matches(e -> e.kind() == EffectStoreException.Kind.LOADING)
            .withMessageContaining("LOADING Redis is loading");
        assertThat(mail.runs()).isZero();
      }
    }
  }

  @Test
  void c53EvictionAndFlushAreToldAtTheStart() {
    try (EmbeddedRedis cache =
            EmbeddedRedis.builder()
                .inMemory()
                .args("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru")
                .start();
        RedisEffectStore evicting = RedisEffectStore.connect(cache.uri());
        EffectGuard guarded =
            EffectGuard.builder(evicting).namespace("x").metrics(metrics).build()) {
      assertThat(guarded.check())
          .anySatisfy(
              f -> {
                assertThat(f.code()).isEqualTo("redis.eviction");
                assertThat(f.severity()).isEqualTo(StoreFinding.Severity.ERROR);
                assertThat(f.remedy()).contains("noeviction");
              });
      for (int i = 0; i < 200; i++) {
        guarded.once(
            EffectPolicy.defaults(), MAIL.id(i), String.class, attempt -> "x".repeat(16_000));
      }
      assertThat(guarded.check())
          .extracting(StoreFinding::code)
          .contains("redis.evicted", "redis.persistence");
      cache.command("FLUSHALL");
      assertThat(guarded.check()).extracting(StoreFinding::code).contains("store.data-lost");

      try (RedisEffectStore accepting =
          RedisEffectStore.builder(cache.uri()).accept("redis.eviction").connect()) {
        assertThat(accepting.check())
            .extracting(StoreFinding::severity)
            .doesNotContain(StoreFinding.Severity.ERROR);
      }
    }
  }
}
