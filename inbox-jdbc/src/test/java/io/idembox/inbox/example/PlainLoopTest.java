package io.idembox.inbox.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectStore;
import io.idembox.effect.InMemoryEffectStore;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.RegisteredConsumer;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The loop of the README, on a real broker and a real database. */
@WithServers({WithServers.Server.KAFKA, WithServers.Server.POSTGRES})
final class PlainLoopTest {
  private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final InvoiceMail mail = new InvoiceMail();
  private final List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();

  private TestScope scope;
  private String topic;
  private TopicPartition partition;
  private HikariDataSource pool;
  private KafkaConsumer<byte[], byte[]> consumer;
  private EffectGuard guard;
  private ConsumerInbox inbox;
  private PlainLoop loop;

  @BeforeEach
  void open() throws Exception {
    topic = scope.topic("orders", 1);
    partition = new TopicPartition(topic, 0);
    TestScope.Database database = scope.postgres("idembox", ds -> IdemboxSchema.of(ds).migrate());
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setMaximumPoolSize(3);
    pool = new HikariDataSource(config);
    execute("create table ledger (order_id text not null check (order_id <> 'order-3'))");
    EffectStore store = new InMemoryEffectStore();
    // README: open
    JdbcInbox jdbc = JdbcInbox.builder(pool).build();
    jdbc.check(); // reachable, PostgreSQL 14 or later, writable, schema there
    RegisteredConsumer billing =
        jdbc.register(
            new ConsumerRegistration(
                "billing", "billing", null, MessageIdResolver.defaults().fingerprint()));
    guard = EffectGuard.builder(store).namespace(billing.namespace()).build();
    inbox = jdbc.open(billing, EffectCatalog.of(mail), guard);
    // README: end
    consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                scope.kafka().bootstrapServers(),
                "group.id",
                scope.group("billing"),
                "enable.auto.commit",
                "false",
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    loop = new PlainLoop(consumer, inbox, guard, mail, Map.of(topic, UUID.randomUUID()));
  }

  @AfterEach
  void close() {
    consumer.close();
    guard.close();
    pool.close();
  }

  @Test
  void ordersThatArePublishedTwiceAndReadAgainGetOneRowAndOneMailEach() throws Exception {
    for (int copy = 0; copy < 2; copy++) {
      for (int i = 10; i < 50; i++) {
        add("order-" + i, "order-" + i);
      }
    }
    produce();
    consumer.subscribe(List.of(topic));
    runUntil(() -> committed() == 80);
    consumer.seekToBeginning(List.of(partition));
    runUntil(() -> consumer.position(partition) == 80);

    assertThat(number("select count(*) from ledger")).isEqualTo(40);
    assertThat(number("select count(distinct order_id) from ledger")).isEqualTo(40);
    assertThat(mail.sent).hasSize(40).doesNotHaveDuplicates();
    assertThat(inbox.journal().unfinished()).isZero();
    assertThat(number("select count(*) from idembox.dead_letter")).isZero();
  }

  @Test
  void aBadRecordTakesNoOtherWithItAndLostConnectionsLoseNothing() throws Exception {
    for (int i = 0; i < 10; i++) {
      add("id-" + i, "order-" + i);
    }
    add("", "order-without-an-id");
    add("tombstone", null);
    produce();
    consumer.subscribe(List.of(topic));
    AtomicInteger turns = new AtomicInteger();
    runUntil(
        () -> {
          if (turns.incrementAndGet() < 10) {
            execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                    + " where datname = current_database() and pid <> pg_backend_pid()");
          }
          return committed() == 12;
        });

    assertThat(number("select count(*) from ledger")).isEqualTo(9);
    assertThat(number("select count(distinct order_id) from ledger")).isEqualTo(9);
    assertThat(mail.sent).hasSize(9).doesNotHaveDuplicates();
    assertThat(text("select string_agg(reason, ', ' order by \"offset\") from idembox.dead_letter"))
        .isEqualTo("handler failed, header message-id is empty");
    assertThat(text("select cause_message from idembox.dead_letter where \"offset\" = 3"))
        .contains("SQLSTATE 23514");
    assertThat(number("select count(*) from idembox.inbox")).isEqualTo(12);
  }

  private void runUntil(BooleanSupplier reached) throws InterruptedException {
    long end = System.nanoTime() + GIVE_UP_NANOS;
    loop.run(() -> reached.getAsBoolean() || System.nanoTime() - end > 0);
    assertThat(reached.getAsBoolean()).isTrue();
  }

  private long committed() {
    var offset = consumer.committed(Set.of(partition)).get(partition);
    return offset == null ? -1 : offset.offset();
  }

  private void add(String id, @Nullable String order) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic, null, order == null ? null : order.getBytes(StandardCharsets.UTF_8));
    record.headers().add("message-id", id.getBytes(StandardCharsets.UTF_8));
    records.add(record);
  }

  private void produce() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", scope.kafka().bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (ProducerRecord<byte[], byte[]> record : records) {
        sent.add(producer.send(record));
      }
      for (Future<RecordMetadata> record : sent) {
        record.get(20, TimeUnit.SECONDS);
      }
    }
  }

  private void execute(String sql) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private long number(String sql) {
    return Long.parseLong(text(sql));
  }

  private String text(String sql) {
    try (Connection connection = pool.getConnection();
        ResultSet row = connection.createStatement().executeQuery(sql)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
