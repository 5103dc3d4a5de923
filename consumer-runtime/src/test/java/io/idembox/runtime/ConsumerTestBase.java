package io.idembox.runtime;

import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.Effect;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.slf4j.LoggerFactory;

/** A database, a topic of three partitions and a group of a test's own, and consumers on them. */
@WithServers({Server.KAFKA, Server.POSTGRES, Server.REDIS})
abstract class ConsumerTestBase {
  static final Duration SOON = Duration.ofSeconds(30);

  final TestScope scope;
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final List<BatchReport> reports = new CopyOnWriteArrayList<>();
  final CapturedLog log = new CapturedLog();
  final List<InboxConsumer> consumers = new ArrayList<>();
  HikariDataSource database;
  Orders orders;
  String topic;
  String group;

  ConsumerTestBase(TestScope scope) {
    this.scope = scope;
  }

  @BeforeEach
  void setUp() {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(
        scope
            .postgres(
                "runtime",
                empty -> {
                  IdemboxSchema.of(empty).migrate();
                  Sink.createTables(empty);
                })
            .jdbcUrl());
    database = new HikariDataSource(pool);
    orders = new Orders(scope.kafka().bootstrapServers());
    topic = scope.topic("orders", 3);
    group = scope.group("billing");
  }

  @BeforeEach
  void captureLog() {
    log.start();
    ((Logger) LoggerFactory.getLogger("io.idembox")).addAppender(log);
  }

  @AfterEach
  void releaseLog() {
    ((Logger) LoggerFactory.getLogger("io.idembox")).detachAppender(log);
  }

  @AfterEach
  void tearDown() {
    consumers.forEach(InboxConsumer::close);
    orders.close();
    database.close();
  }

  InboxConsumer started(InboxHandler<Orders.Order> handler) {
    return start(builder().subscribe(json(topic, handler)));
  }

  InboxConsumer start(InboxConsumerBuilder settings) {
    InboxConsumer consumer = settings.build();
    consumers.add(consumer);
    consumer.start();
    return consumer;
  }

  static Subscription json(String topic, InboxHandler<Orders.Order> handler) {
    return Subscription.topics(topic).json(Orders.Order.class, handler);
  }

  InboxConsumerBuilder builder() {
    return settings(new Sink(database));
  }

  InboxConsumerBuilder settings(Effect<?, ?> effect) {
    return InboxConsumer.builder()
        .name(group)
        .kafka(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()))
        .dataSource(database)
        .redis(scope.redis().uri())
        .effects(effect)
        .retryBackoff(Duration.ofMillis(20), Duration.ofMillis(200))
        .maxAttempts(Integer.MAX_VALUE)
        .sweepInterval(Duration.ofMillis(200))
        .meters(meters)
        .listener(reports::add);
  }

  void awaitCommitted(long records) {
    await().atMost(SOON).until(() -> committed(0) + committed(1) + committed(2) == records);
  }

  static void awaitSettled(InboxConsumer consumer) {
    await().atMost(SOON).until(() -> consumer.unsettledEffects() == 0);
  }

  long committed(int partition) throws Exception {
    return committed(group, topic, partition);
  }

  /** The group's committed offset, 0 if it has none. */
  long committed(String ofGroup, String ofTopic, int partition) throws Exception {
    try (Admin admin = admin()) {
      OffsetAndMetadata offset =
          admin
              .listConsumerGroupOffsets(ofGroup)
              .partitionsToOffsetAndMetadata()
              .get()
              .get(new TopicPartition(ofTopic, partition));
      return offset == null ? 0 : offset.offset();
    }
  }

  void rewind() throws Exception {
    try (Admin admin = admin()) {
      admin
          .alterConsumerGroupOffsets(
              group,
              Map.of(
                  new TopicPartition(topic, 0), new OffsetAndMetadata(0),
                  new TopicPartition(topic, 1), new OffsetAndMetadata(0),
                  new TopicPartition(topic, 2), new OffsetAndMetadata(0)))
          .all()
          .get();
    }
  }

  Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()));
  }

  long rows(String sql) {
    return DatabaseRows.count(database, sql);
  }

  List<String> strings(String sql) {
    return DatabaseRows.strings(database, sql);
  }
}
