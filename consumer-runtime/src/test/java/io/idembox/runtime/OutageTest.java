package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedServers;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** P8: a server that goes away and comes back loses nothing, and work resumes by itself. */
class OutageTest {
  private static final Duration RECOVERY = Duration.ofSeconds(60);
  private static final int ORDERS = 200;

  private static EmbeddedServers servers;
  private HikariDataSource database;
  private Orders orders;
  private InboxConsumer consumer;
  private String topic;

  @BeforeAll
  static void startServers() {
    servers = EmbeddedServers.start();
  }

  @AfterAll
  static void stopServers() {
    servers.close();
  }

  @BeforeEach
  void startConsumer(TestInfo test) throws Exception {
    String name = test.getTestMethod().orElseThrow().getName();
    topic = "orders-" + name;
    servers.kafka().createTopic(topic, 2);
    String created = servers.postgres().createDatabase();
    database = new HikariDataSource();
    database.setJdbcUrl(servers.postgres().jdbcUrl(created));
    database.setConnectionTimeout(2_000);
    IdemboxSchema.of(database).migrate();
    Sink.createTables(database);
    orders = new Orders(servers.kafka().bootstrapServers());
    consumer =
        InboxConsumer.builder()
            .name("billing-" + name)
            .kafka(Map.of("bootstrap.servers", servers.kafka().bootstrapServers()))
            .dataSource(database)
            .redis(servers.redis().uri())
            .effects(new Sink(database))
            .subscribe(Subscription.topics(topic).json(Orders.Order.class, Orders::book))
            .sweepInterval(Duration.ofMillis(500))
            .build();
    consumer.start();
    sendOrders(0);
    awaitAllDone(ORDERS);
  }

  @AfterEach
  void stopConsumer() {
    consumer.close();
    orders.close();
    database.close();
  }

  /** C50: rows commit and mails wait while the guard cannot be asked; no attempt is used up. */
  @Test
  void redisGoesAwayAndComesBack() throws Exception {
    servers.redis().stop();
    sendOrders(ORDERS);
    await().atMost(RECOVERY).until(() -> rows("select count(*) from ledger") == 2 * ORDERS);
    await()
        .atMost(RECOVERY)
        .until(() -> rows("select count(*) from idembox.effect where last_error is not null") > 0);
    assertThat(rows("select count(*) from sent")).as("nothing runs unguarded").isEqualTo(ORDERS);

    servers.redis().restart();

    awaitAllDone(2 * ORDERS);
    assertThat(rows("select max(attempt) from idembox.effect")).isEqualTo(1);
  }

  /** C31: the server is killed in the middle, and is back later. */
  @Test
  void postgresIsKilledAndComesBack() throws Exception {
    servers.postgres().kill();
    sendOrders(ORDERS);

    servers.postgres().restart();

    awaitAllDone(2 * ORDERS);
  }

  @Test
  void theBrokerGoesAwayAndComesBack() throws Exception {
    sendOrders(ORDERS);
    servers.kafka().stop();
    servers.kafka().restart();

    awaitAllDone(2 * ORDERS);
  }

  /** One after the other, in the middle of the work; nothing is lost, doubled or given up. */
  @Test
  void tenThousandRecordsGoThroughAnOutageOfEachServer() throws Exception {
    int all = 10_000;
    sendOrders(ORDERS, all - ORDERS);

    awaitLedger(2_000);
    servers.postgres().kill();
    servers.postgres().restart();
    awaitLedger(4_500);
    servers.redis().stop();
    awaitLedger(6_000);
    servers.redis().restart();
    awaitLedger(7_000);
    servers.kafka().restart();

    awaitAllDone(all);
    assertThat(rows("select count(*) from idembox.dead_letter")).isZero();
    assertThat(rows("select count(*) from idembox.attempt")).isZero();
  }

  private void awaitLedger(long rows) {
    await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(RECOVERY)
        .ignoreExceptions()
        .until(() -> rows("select count(*) from ledger") >= rows);
  }

  private void sendOrders(int first) throws Exception {
    sendOrders(first, ORDERS);
  }

  private void sendOrders(int first, int count) throws Exception {
    for (int i = first; i < first + count; i++) {
      orders.send(topic, i % 2, "m" + i, "o" + i);
    }
    orders.flush();
  }

  /** One row and one mail for each, nothing owed, and the offsets behind the last record. */
  private void awaitAllDone(int count) {
    await()
        .atMost(RECOVERY)
        .ignoreExceptions()
        .until(
            () -> rows("select count(*) from sent") >= count && consumer.unsettledEffects() == 0);
    await().atMost(RECOVERY).ignoreExceptions().until(() -> committed(0) + committed(1) == count);
    assertThat(rows("select count(*) from ledger")).isEqualTo(count);
    assertThat(rows("select count(distinct order_id) from ledger")).isEqualTo(count);
    assertThat(rows("select count(*) from sent")).isEqualTo(count);
    assertThat(rows("select count(distinct order_id) from sent")).isEqualTo(count);
  }

  private long rows(String sql) {
    return DatabaseRows.count(database, sql);
  }

  private long committed(int partition) throws Exception {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", servers.kafka().bootstrapServers()))) {
      OffsetAndMetadata offset =
          admin
              .listConsumerGroupOffsets("billing-" + topic.substring("orders-".length()))
              .partitionsToOffsetAndMetadata()
              .get()
              .get(new TopicPartition(topic, partition));
      return offset == null ? 0 : offset.offset();
    }
  }
}
