package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class EmbeddedRedisClusterTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void aReplicaTakesOverWithTheDataWhenItsMasterIsKilled() {
    try (EmbeddedRedisCluster cluster = EmbeddedRedisCluster.start()) {
      assertThat(cluster.nodes()).hasSize(6);
      assertThat(cluster.uris()).hasSize(6).doesNotHaveDuplicates();
      EmbeddedRedis master = cluster.masterOf("key");
      assertThat(master.command("SET", "key", "kept")).isEqualTo("OK");
      assertThat(master.command("WAIT", "1", "10000")).isEqualTo("1");

      EmbeddedRedis killed = cluster.killMasterOf("key", LIMIT);

      assertThat(killed).isSameAs(master);
      assertThat(cluster.masterOf("key")).isNotSameAs(master);
      assertThat(cluster.masterOf("key").command("GET", "key")).isEqualTo("kept");
      killed.restart();
      cluster.awaitHealthy(LIMIT);
    }
  }
}
