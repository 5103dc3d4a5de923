package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Redis answers, but has lost its data, its scripts or its role, or is full. Each test has a server
 * of its own.
 */
final class RedisTroubleTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final EffectPolicy POLICY =
      EffectPolicy.builder()
          .lease(Duration.ofSeconds(6))
          .maxAttempts(1)
          .secondCaller(SecondCaller.fail())
          .build();

  private EmbeddedRedis redis;
  private RedisEffectStore store;
  private EffectGuard guard;
  private final CountedMetrics metrics = new CountedMetrics();

  private void start(EmbeddedRedis.Builder server) {
    redis = server.start();
    store = RedisEffectStore.builder(redis.uri()).commandTimeout(Duration.ofSeconds(1)).connect();
    guard =
        EffectGuard.builder(store)
            .namespace("trouble")
            .metrics(metrics)
            .closeTimeout(Duration.ofSeconds(2))
            .build();
  }

  @AfterEach
  void close() {
    guard.close();
    store.close();
    redis.close();
  }

  private static EffectKey key(String id) {
    return EffectKey.of("mail.invoice").id(id);
  }

  private String once(String id, EffectCode<String> code) {
    return guard.once(POLICY, key(id), String.class, code);
  }

  private EffectStoreException.Kind refusal(String id) {
    boolean[] ran = {false};
    try {
      once(
          id,
          attempt -> {
            ran[0] = true;
            return "unprotected";
          });
      return null;
    } catch (EffectStoreException e) {
      assertThat(ran[0]).isFalse();
      return e.kind();
    }
  }

  @Test
  void forgottenScriptsAreNotNoticed() {
    start(EmbeddedRedis.builder().inMemory());
    assertThat(once("1", attempt -> "sent")).isEqualTo("sent");
    redis.command("SCRIPT", "FLUSH");
    assertThat(
            once(
                "2",
                attempt -> {
                  redis.command("SCRIPT", "FLUSH");
                  return "sent";
                }))
        .isEqualTo("sent");
    redis.command("SCRIPT", "FLUSH");
    assertThat(once("1", attempt -> "again")).isEqualTo("sent");
    assertThat(metrics.of(EffectStoreException.Kind.OTHER)).isZero();
  }

  @Test
  void aFlushIsNoticedAndARunningEffectIsStillRecorded() {
    start(EmbeddedRedis.builder().inMemory());
    await().atMost(LIMIT).until(() -> !redis.command("DBSIZE").contains("0"));
    guard.check();

    assertThat(
            once(
                "1",
                attempt -> {
                  redis.command("FLUSHALL");
                  return "sent";
                }))
        .isEqualTo("sent");

    assertThat(once("1", attempt -> "again")).isEqualTo("sent");
    assertThat(guard.check()).extracting(StoreFinding::code).contains("store.data-lost");
    assertThat(metrics.of(EffectMetrics.Event.DATA_LOST)).isEqualTo(1);
  }

  @Test
  void aRestartWithoutPersistenceIsNoticed() {
    start(EmbeddedRedis.builder().inMemory());
    guard.check();
    once("1", attempt -> "sent");
    redis.kill();
    redis.restart();

    await().atMost(LIMIT).until(() -> metrics.of(EffectMetrics.Event.DATA_LOST) == 1);
    assertThat(once("1", attempt -> "again, as P4 says")).isEqualTo("again, as P4 says");
  }

  @Test
  void aRestartWithPersistenceForgetsNothing() {
    start(EmbeddedRedis.builder());
    guard.check();
    once("1", attempt -> "sent");
    redis.kill();
    redis.restart();

    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .until(() -> once("1", attempt -> "again").equals("sent"));
    guard.check();
    assertThat(metrics.of(EffectMetrics.Event.DATA_LOST)).isZero();
  }

  @Test
  void aServerThatBecameAReplicaTakesNoClaimAndACompletionWaitsForIt() {
    start(EmbeddedRedis.builder().inMemory());
    once("done", attempt -> "sent");
    EffectOutcome<String> during =
        guard.tryOnce(
            POLICY,
            key("during"),
            String.class,
            attempt -> {
              redis.command("REPLICAOF", "127.0.0.1", "1");
              return "sent";
            });
    assertThat(during).isInstanceOf(EffectOutcome.Performed.class);
    // Now and then it is left, in case its address leads elsewhere by now, and for that moment it
    // is
    // unreachable.
    await().atMost(LIMIT).until(() -> refusal("new") == EffectStoreException.Kind.READ_ONLY);
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .until(() -> once("done", attempt -> "again").equals("sent"));
    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .untilAsserted(
            () ->
                assertThat(store.check())
                    .anySatisfy(f -> assertThat(f.code()).isEqualTo("redis.role")));
    redis.command("REPLICAOF", "NO", "ONE");

    await()
        .atMost(LIMIT)
        .ignoreExceptionsInstanceOf(EffectStoreException.class)
        .until(() -> once("new", attempt -> "sent").equals("sent"));
    await()
        .atMost(LIMIT)
        .until(
            () ->
                guard.operations().show(key("during")).orElseThrow().state()
                    == EffectRecord.State.DONE);
  }

  @Test
  void aFullServerTakesNoClaimButEveryCompletion() {
    OnRedis7.orSkip("only Redis 7 and later know allow-oom");
    start(EmbeddedRedis.builder().inMemory().atLeast(7));
    once("done", attempt -> "sent");
    EffectOutcome<String> during =
        guard.tryOnce(
            POLICY,
            key("during"),
            String.class,
            attempt -> {
              fill();
              return "sent";
            });

    assertThat(((EffectOutcome.Performed<String>) during).recorded()).isTrue();
    assertThat(refusal("new")).isEqualTo(EffectStoreException.Kind.OUT_OF_MEMORY);
    assertThat(once("done", attempt -> "again")).isEqualTo("sent");
    assertThat(once("during", attempt -> "again")).isEqualTo("sent");
    redis.command("CONFIG", "SET", "maxmemory", "0");
    assertThat(once("new", attempt -> "sent")).isEqualTo("sent");
  }

  @Test
  void onAFullServerOfVersion6TheCompletionWaitsForRoom() {
    start(EmbeddedRedis.builder().inMemory().bundled());
    EffectOutcome<String> during =
        guard.tryOnce(
            POLICY,
            key("during"),
            String.class,
            attempt -> {
              fill();
              return "sent";
            });

    assertThat(during).isInstanceOf(EffectOutcome.Performed.class);
    assertThat(((EffectOutcome.Performed<String>) during).recorded()).isFalse();
    assertThat(refusal("new")).isEqualTo(EffectStoreException.Kind.OUT_OF_MEMORY);
    redis.command("CONFIG", "SET", "maxmemory", "0");
    await()
        .atMost(LIMIT)
        .until(
            () ->
                guard.operations().show(key("during")).orElseThrow().state()
                    == EffectRecord.State.DONE);
    assertThat(once("new", attempt -> "sent")).isEqualTo("sent");
  }

  private void fill() {
    redis.command("SET", "filler", "x".repeat(2_000_000));
    redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    redis.command("CONFIG", "SET", "maxmemory", "1mb");
  }

  @Test
  void allScriptsRunOnRedis6Too() {
    start(EmbeddedRedis.builder().inMemory().bundled());
    assertThat(once("1", attempt -> "sent")).isEqualTo("sent");
    assertThat(once("1", attempt -> "again")).isEqualTo("sent");
    assertThatExceptionOfType(EffectInDoubtException.class)
        .isThrownBy(
            () ->
                once(
                    "2",
                    attempt -> {
                      throw new java.io.IOException("reset");
                    }));
    EffectOperations operations = guard.operations();
    assertThat(operations.inDoubt())
        .extracting(record -> record.key().orElseThrow())
        .containsExactly(key("2"));
    assertThat(operations.resolveNotDone(key("2"))).isEqualTo(EffectOperations.Decision.APPLIED);
    assertThat(operations.forget(key("1"))).isEqualTo(EffectOperations.Decision.APPLIED);
    assertThat(operations.sweep()).isZero();
    assertThat(once("1", attempt -> "second generation")).isEqualTo("second generation");
    assertThat(store.check()).extracting(StoreFinding::code).contains("redis.version");
  }
}
