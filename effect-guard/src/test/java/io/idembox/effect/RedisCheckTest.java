package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Settings of a server under which it may forget effects that it has confirmed. */
final class RedisCheckTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private static List<StoreFinding> findings(RedisEffectStore store, String code) {
    return store.check().stream().filter(finding -> finding.code().equals(code)).toList();
  }

  @Test
  void aLogThatIsNotForcedToTheDiskIsAFinding() {
    try (EmbeddedRedis redis = EmbeddedRedis.builder().args("--appendfsync", "no").start();
        RedisEffectStore store = RedisEffectStore.connect(redis.uri())) {
      assertThat(findings(store, "redis.appendfsync"))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.severity()).isEqualTo(StoreFinding.Severity.WARNING);
                assertThat(finding.remedy()).contains("everysec");
              });

      redis.command("CONFIG", "SET", "appendfsync", "everysec");
      assertThat(findings(store, "redis.appendfsync")).isEmpty();
      redis.command("CONFIG", "SET", "appendfsync", "always");
      assertThat(findings(store, "redis.appendfsync")).isEmpty();
    }
  }

  @Test
  void aMasterThatWritesWithoutItsReplicasIsAFinding() {
    try (EmbeddedRedis master =
            EmbeddedRedis.builder().inMemory().args("--repl-diskless-sync-delay", "0").start();
        RedisEffectStore store = RedisEffectStore.connect(master.uri())) {
      assertThat(findings(store, "redis.min-replicas")).isEmpty();
      try (EmbeddedRedis replica = EmbeddedRedis.builder().inMemory().start()) {
        replica.command("REPLICAOF", master.host(), Integer.toString(master.port()));
        await()
            .atMost(LIMIT)
            .untilAsserted(() -> assertThat(findings(store, "redis.min-replicas")).hasSize(1));
        assertThat(findings(store, "redis.replicas")).isEmpty();

        master.command("CONFIG", "SET", "min-replicas-to-write", "1");
        assertThat(findings(store, "redis.min-replicas")).isEmpty();
      }
    }
  }
}
