package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedRedisCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Three masters with a replica each; one master dies and its replica takes over. */
final class RedisClusterGuardTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void effectsGoOnWhenAMasterDiesAndNothingThatWasReplicatedRunsAgain() {
    OnRedis7.orSkip("the cluster is started from it");
    try (EmbeddedRedisCluster cluster = EmbeddedRedisCluster.start();
        RedisEffectStore store =
            RedisEffectStore.builder(String.join(",", cluster.uris()).replace(",redis://", ","))
                .commandTimeout(Duration.ofSeconds(2))
                .connect();
        EffectGuard guard = EffectGuard.builder(store).namespace("cluster").build()) {
      MailEffect mail = new MailEffect();
      List<EffectCall<Mail>> calls = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        calls.add(EffectCall.first(EffectKey.of("mail.invoice").id(i), new Mail("a@b", i)));
      }
      assertThat(guard.tryOnceAll(mail, calls))
          .extracting(EffectOutcome::kind)
          .containsOnly(EffectOutcome.Kind.PERFORMED);

      assertThat(guard.tryOnceAll(mail, calls))
          .extracting(EffectOutcome::kind)
          .containsOnly(EffectOutcome.Kind.REPLAYED);
      assertThat(guard.check()).extracting(StoreFinding::code).contains("redis.maxmemory");
      cluster.awaitHealthy(LIMIT);
      // Replication is asynchronous: what the promise holds on is that the replica has the records.
      await().atMost(LIMIT).until(() -> cluster.nodes().stream().allMatch(Replication::isLevel));

      cluster.killMasterOf("{a}", LIMIT);

      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(guard.tryOnceAll(mail, calls))
                      .extracting(EffectOutcome::kind)
                      .containsOnly(EffectOutcome.Kind.REPLAYED));
      assertThat(mail.runs()).isEqualTo(300);
      for (int i = 300; i < 400; i++) {
        EffectKey key = EffectKey.of("mail.invoice").id(i);
        Mail request = new Mail("a@b", i);
        await()
            .atMost(LIMIT)
            .ignoreExceptionsInstanceOf(EffectStoreException.class)
            .until(() -> guard.once(mail, key, request) != null);
      }
      assertThat(mail.runs()).isEqualTo(400);
      await()
          .atMost(LIMIT)
          .ignoreExceptionsInstanceOf(EffectStoreException.class)
          .untilAsserted(
              () -> {
                assertThat(guard.operations().inDoubt()).isEmpty();
                assertThat(guard.operations().sweep()).isZero();
              });
    }
  }
}
