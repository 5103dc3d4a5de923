package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** The relay in front of the real servers. */
@WithServers({WithServers.Server.POSTGRES, WithServers.Server.REDIS})
final class FaultRelayServersTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void redisHasActedThoughItsReplyIsLost(TestScope scope) throws Exception {
    String key = scope.namespace();
    try (FaultRelay relay = FaultRelay.to(scope.redis().port())) {
      try (RespConnection client = new RespConnection(relay.host(), relay.port())) {
        assertThat(client.command("PING")).isEqualTo("PONG");
        Fault fault = relay.dropReplyTo("INCR");
        assertThatThrownBy(() -> client.command("INCR", key))
            .isInstanceOf(java.io.IOException.class);
        fault.await(LIMIT);
      }
      try (RespConnection next = new RespConnection(relay.host(), relay.port())) {
        assertThat(next.command("GET", key)).isEqualTo("1");
      }
    }
  }

  @Test
  void redisHasNotActedWhenTheRequestIsLost(TestScope scope) throws Exception {
    String key = scope.namespace();
    try (FaultRelay relay = FaultRelay.to(scope.redis().port());
        RespConnection client = new RespConnection(relay.host(), relay.port())) {
      Fault fault = relay.dropRequest("INCR");
      assertThatThrownBy(() -> client.command("INCR", key)).isInstanceOf(java.io.IOException.class);
      fault.await(LIMIT);
    }
    assertThat(scope.redis().command("EXISTS", key)).isEqualTo("0");
  }

  @Test
  void postgresHasCommittedThoughItsAnswerIsLost(TestScope scope) throws SQLException {
    TestScope.Database database = scope.postgres();
    try (FaultRelay relay = FaultRelay.to(database.port())) {
      String url =
          database.jdbcUrl().replace(":" + database.port() + "/", ":" + relay.port() + "/");
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute("create table t(a int)");
        connection.setAutoCommit(false);
        statement.execute("insert into t values (1)");
        connection
            .commit(); // the driver prepares its COMMIT here: the text goes over the wire this once
        statement.execute("insert into t values (2)");
        Fault fault = relay.dropReplyContaining("COMMIT");
        assertThatThrownBy(connection::commit)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
        fault.await(LIMIT);
      }
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("select count(*) from t")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(2);
      }
    }
  }

  @Test
  void kafkaTellsClientsOfItsRelayToStayBehindIt() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.builder().behindRelay().start()) {
      kafka.createTopic("t", 1);
      Map<String, Object> settings =
          Map.of(
              "bootstrap.servers", kafka.relay().address(),
              "delivery.timeout.ms", "2000",
              "request.timeout.ms", "1000",
              "max.block.ms", "2000");
      try (var producer =
          new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
        ProducerRecord<String, String> record = new ProducerRecord<>("t", "hello");
        assertThat(producer.send(record).get(20, TimeUnit.SECONDS).offset()).isZero();
        kafka.relay().pause();
        assertThatThrownBy(() -> producer.send(record).get(20, TimeUnit.SECONDS))
            .isInstanceOf(ExecutionException.class)
            .hasCauseInstanceOf(TimeoutException.class);
        kafka.relay().pass();
        assertThat(producer.send(record).get(20, TimeUnit.SECONDS).offset()).isPositive();
      }
    }
  }
}
