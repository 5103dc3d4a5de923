package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class EmbeddedServersTest {
  @AfterEach
  void embeddedAgain() {
    System.clearProperty(Services.PROPERTY);
  }

  @Test
  void allThreeStartTogetherAndAnswer() throws Exception {
    try (EmbeddedServers servers = EmbeddedServers.start()) {
      servers.kafka().createTopic("t", 1);
      assertThat(servers.redis().command("PING")).isEqualTo("PONG");
      try (Connection connection = servers.postgres().dataSource("postgres").getConnection()) {
        assertThat(connection.isValid(1)).isTrue();
      }
    }
  }

  @Test
  void oneThatFailsIsNamedAndTheOthersAreClosed() {
    var kafkaBefore = Folders.of("kafka");
    var redisBefore = Folders.of("redis");
    assertThatThrownBy(
            () ->
                EmbeddedServers.start(
                    EmbeddedKafka.builder(),
                    EmbeddedPostgres.builder().setting("max_connections", "lots"),
                    EmbeddedRedis.builder()))
        .isInstanceOf(ServerStartException.class)
        .hasMessageStartingWith("PostgreSQL did not start");
    assertThat(kafkaBefore).containsAll(Folders.of("kafka"));
    assertThat(redisBefore).containsAll(Folders.of("redis"));
  }

  @Test
  void containersWithoutADockerEngineAreRefusedWithTheRemedy() {
    System.setProperty(Services.PROPERTY, "containers");
    assertThatThrownBy(EmbeddedServers::start)
        .isInstanceOf(ServerStartException.class)
        .hasMessageContaining(
            "Kafka did not start: idembox.services=containers needs a Docker engine")
        .hasMessageContaining(
            "PostgreSQL did not start: idembox.services=containers needs a Docker engine")
        .hasMessageContaining(
            "Redis did not start: idembox.services=containers needs a Docker engine")
        .hasMessageContaining("unset the property");
  }

  @Test
  void anotherValueOfThePropertyIsRefusedByName() {
    System.setProperty(Services.PROPERTY, "clouds");
    assertThatThrownBy(EmbeddedRedis::start)
        .isInstanceOf(TestkitException.class)
        .hasMessage("idembox.services is 'clouds': use 'embedded' (default) or 'containers'");
  }
}
