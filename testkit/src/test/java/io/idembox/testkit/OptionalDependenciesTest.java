package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a user has on the class path who did not add the optional dependencies. */
final class OptionalDependenciesTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final List<String> OPTIONAL =
      List.of("testcontainers", "docker-java", "junit", "logback", "opentest4j");

  @Test
  void theServersStartWithoutThem() {
    try (JavaProcess process = without().start()) {
      assertThat(process.awaitLine("started", LIMIT)).isEqualTo("started PONG");
      assertThat(process.awaitExit(LIMIT)).isZero();
    }
  }

  @Test
  void containersAreRefusedWithTheArtifactToAdd() {
    try (JavaProcess process = without().jvmArgs("-Didembox.services=containers").start()) {
      assertThat(process.awaitLine("refused", LIMIT))
          .contains(
              "Kafka did not start: idembox.services=containers needs org.testcontainers:testcontainers-kafka")
          .contains("needs org.testcontainers:testcontainers-postgresql")
          .contains(
              "Redis did not start: idembox.services=containers needs org.testcontainers:testcontainers on");
    }
  }

  private static JavaProcess.Builder without() {
    return JavaProcess.builder(Starter.class)
        .classPath(
            entry ->
                OPTIONAL.stream()
                    .noneMatch(entry.substring(entry.lastIndexOf('/') + 1)::startsWith));
  }

  /** Starts all servers and says how that went. */
  static final class Starter {
    public static void main(String[] args) {
      try (EmbeddedServers servers = EmbeddedServers.start()) {
        servers.kafka().createTopic("t", 1);
        System.out.println("started " + servers.redis().command("PING"));
      } catch (ServerStartException e) {
        System.out.println("refused: " + e.getMessage());
      }
    }
  }
}
