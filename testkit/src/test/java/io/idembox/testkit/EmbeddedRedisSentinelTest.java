package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class EmbeddedRedisSentinelTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void theReplicaTakesOverWithTheDataWhenItsMasterIsKilled() {
    try (EmbeddedRedisSentinel sentinel = EmbeddedRedisSentinel.start()) {
      assertThat(sentinel.uri())
          .matches("redis-sentinel://127.0.0.1:\\d+,127.0.0.1:\\d+,127.0.0.1:\\d+#idembox");
      EmbeddedRedis master = written(sentinel);

      assertThat(sentinel.killMaster(LIMIT)).isSameAs(master);

      assertThat(sentinel.master()).isNotSameAs(master);
      assertThat(sentinel.master().command("GET", "key")).isEqualTo("kept");
    }
  }

  @Test
  void theReplicaTakesOverWhenASentinelIsAskedToAndTheMasterIsDemoted() {
    try (EmbeddedRedisSentinel sentinel = EmbeddedRedisSentinel.start()) {
      EmbeddedRedis master = written(sentinel);

      assertThat(sentinel.failover(LIMIT)).isSameAs(master);

      assertThat(sentinel.master().command("GET", "key")).isEqualTo("kept");
      sentinel.awaitHealthy(LIMIT);
      assertThat(master.command("INFO", "replication")).contains("role:slave");
    }
  }

  private static EmbeddedRedis written(EmbeddedRedisSentinel sentinel) {
    EmbeddedRedis master = sentinel.master();
    assertThat(master.command("SET", "key", "kept")).isEqualTo("OK");
    // WAIT counts the writes of its own connection only.
    await()
        .atMost(LIMIT)
        .until(
            () ->
                sentinel.servers().stream().allMatch(s -> s.command("GET", "key").equals("kept")));
    return master;
  }
}
