package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A server that is missing refuses the start within 10 seconds, by name and without its password.
 */
@WithServers({Server.KAFKA, Server.POSTGRES, Server.REDIS})
class StartRefusedTest {
  private final TestScope scope;
  private final List<HikariDataSource> opened = new ArrayList<>();

  StartRefusedTest(TestScope scope) {
    this.scope = scope;
  }

  @AfterEach
  void closePools() {
    opened.forEach(HikariDataSource::close);
  }

  @Test
  void kafkaIsAway() throws IOException {
    String away = "127.0.0.1:" + closedPort();
    String refusal =
        refusal(builder().kafka(Map.of("bootstrap.servers", away)).dataSource(migrated()));
    assertThat(refusal).contains("Kafka at " + away);
  }

  @Test
  void aTopicIsMissing() {
    String refusal =
        refusal(
            builder()
                .dataSource(migrated())
                .subscribe(
                    Subscription.topics("no-such-topic")
                        .decodedBy(Decoders.bytes(), (message, tx) -> {})));
    assertThat(refusal).contains("no topic").contains("no-such-topic").contains("create it");
  }

  @Test
  void postgresIsAway() throws IOException {
    int port = closedPort();
    String refusal = refusal(builder().dataSource(postgresAt("127.0.0.1", port)));
    assertThat(refusal).contains("127.0.0.1:" + port).doesNotContain("s3cret");
  }

  @Test
  void postgresAcceptsAndNeverAnswers() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String refusal =
          refusal(builder().dataSource(postgresAt("127.0.0.1", silent.getLocalPort())));
      assertThat(refusal).contains("127.0.0.1:" + silent.getLocalPort()).doesNotContain("s3cret");
    }
  }

  @Test
  void theSchemaIsMissing() {
    String refusal = refusal(builder().dataSource(scope.postgres().dataSource()));
    assertThat(refusal).contains("idembox").containsIgnoringCase("migrat");
  }

  @Test
  void redisIsAway() throws IOException {
    int port = closedPort();
    String refusal =
        refusal(builder().dataSource(migrated()).redis("redis://user:s3cret@127.0.0.1:" + port));
    assertThat(refusal).contains("127.0.0.1:" + port).doesNotContain("s3cret");
  }

  @Test
  void redisAcceptsAndNeverAnswers() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + silent.getLocalPort();
      String refusal =
          refusal(builder().dataSource(migrated()).redis("redis://user:s3cret@" + address));
      assertThat(refusal).contains(address).doesNotContain("s3cret");
    }
  }

  @Test
  void allThatAreAwayAreNamedAtOnce() throws IOException {
    int kafka = closedPort();
    int postgres = closedPort();
    String refusal =
        refusal(
            builder()
                .kafka(Map.of("bootstrap.servers", "127.0.0.1:" + kafka))
                .dataSource(postgresAt("127.0.0.1", postgres)));
    assertThat(refusal).contains("127.0.0.1:" + kafka).contains("127.0.0.1:" + postgres);
  }

  @Test
  void aStartThatFailsHalfWayLeavesNoGuardBehind() {
    String namespace = scope.group("half-way");
    InboxConsumerBuilder builder =
        builder()
            .dataSource(migrated())
            .effectNamespace(namespace)
            .meters(
                new SimpleMeterRegistry() {
                  @Override
                  protected Timer newTimer(
                      Meter.Id id,
                      DistributionStatisticConfig statistics,
                      PauseDetector pauseDetector) {
                    throw new IllegalStateException("no further timer");
                  }
                });
    assertThat(refusal(builder)).contains("no further timer");
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().contains(namespace));
  }

  private static String refusal(InboxConsumerBuilder builder) {
    InboxConsumer consumer = builder.build();
    try (consumer) {
      return assertTimeout(
          Duration.ofSeconds(10),
          () -> catchThrowableOfType(StartRefusedException.class, consumer::start).getMessage());
    }
  }

  private InboxConsumerBuilder builder() {
    String topic = scope.topic("orders", 1);
    return InboxConsumer.builder()
        .name(scope.group("billing"))
        .kafka(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()))
        .redis(scope.redis().uri())
        .subscribe(Subscription.topics(topic).decodedBy(Decoders.bytes(), (message, tx) -> {}));
  }

  private DataSource migrated() {
    return scope.postgres("migrated", empty -> IdemboxSchema.of(empty).migrate()).dataSource();
  }

  /** A pool as users have it: it waits for 30 seconds, longer than a start may. */
  private DataSource postgresAt(String host, int port) {
    HikariDataSource database = new HikariDataSource();
    database.setJdbcUrl("jdbc:postgresql://" + host + ":" + port + "/idembox?password=s3cret");
    database.setUsername("idembox");
    opened.add(database);
    return database;
  }

  private static int closedPort() throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    }
  }
}
