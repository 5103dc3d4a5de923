package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A consumer process ends itself, as abruptly as by SIGKILL, at each boundary between two stores. A
 * second process takes over. In each window: one row, one mail, and the offset behind the record.
 */
@WithServers({Server.KAFKA, Server.POSTGRES, Server.REDIS})
class CrashWindowTest {
  private static final Duration SOON = Duration.ofSeconds(45);

  private final TestScope scope;
  private String jdbcUrl;
  private DataSource database;
  private String redisUri;
  private String topic;
  private JavaProcess process;

  CrashWindowTest(TestScope scope) {
    this.scope = scope;
  }

  @BeforeEach
  void produceOneOrder() throws Exception {
    TestScope.Database prepared =
        scope.postgres(
            "runtime",
            empty -> {
              IdemboxSchema.of(empty).migrate();
              Sink.createTables(empty);
            });
    jdbcUrl = prepared.jdbcUrl();
    database = prepared.dataSource();
    redisUri = scope.redis().uri();
    topic = scope.topic("orders", 1);
    try (Orders orders = new Orders(scope.kafka().bootstrapServers())) {
      orders.send(topic, 0, "m0", "o0").flush();
    }
  }

  @AfterEach
  void stopProcess() {
    process.close();
  }

  @Test
  void afterTheCommitBeforeTheEffect() throws Exception {
    crashAt(CrashPoint.AFTER_THE_COMMIT);
    assertThat(sent()).as("the crash came before the mail").isZero();

    takeOver();
  }

  @Test
  void afterTheEffectBeforeGuardAndJournalKnow() throws Exception {
    crashAt(CrashPoint.AFTER_THE_EFFECT);
    assertThat(sent()).as("the crash came after the mail").isEqualTo(1);
    assertThat(journalState()).isEqualTo("STARTED");

    takeOver();
  }

  @Test
  void afterTheGuardBeforeTheJournal() throws Exception {
    crashAt(CrashPoint.AFTER_THE_GUARD);
    assertThat(sent()).isEqualTo(1);
    assertThat(journalState()).isEqualTo("STARTED");

    takeOver();
  }

  /** C01: the offset never reached the broker, and the record is delivered again. */
  @Test
  void afterTheJournalBeforeTheOffset() throws Exception {
    crashAt(CrashPoint.BEFORE_THE_OFFSET);
    assertThat(journalState()).isEqualTo("DONE");
    assertThat(committed()).isZero();

    takeOver();

    assertThat(process.output()).anyMatch(line -> line.contains("skipped, id"));
  }

  /** The journal's mark alone: Redis has lost every record when the next process asks it. */
  @Test
  void afterTheEffectWhenRedisLosesItsRecordMeanwhile() throws Exception {
    try (EmbeddedRedis ownRedis = EmbeddedRedis.builder().inMemory().start()) {
      redisUri = ownRedis.uri();
      crashAt(CrashPoint.AFTER_THE_EFFECT);
      ownRedis.command("FLUSHALL");

      takeOver();
      process.close();
    }
  }

  private void crashAt(CrashPoint point) {
    process = start(point);
    assertThat(process.awaitExit(SOON)).isEqualTo(137);
    assertThat(rows("select count(*) from ledger")).as("rows were committed").isEqualTo(1);
  }

  private void takeOver() {
    process = start(CrashPoint.NOWHERE);
    await().atMost(SOON).until(() -> committed() == 1);
    await().atMost(SOON).until(() -> journalState().equals("DONE"));
    assertThat(rows("select count(*) from ledger")).isEqualTo(1);
    assertThat(rows("select count(*) from idembox.inbox")).isEqualTo(1);
    assertThat(sent()).isEqualTo(1);
  }

  private JavaProcess start(CrashPoint point) {
    return JavaProcess.start(
        CrashingConsumer.class,
        scope.kafka().bootstrapServers(),
        jdbcUrl,
        redisUri,
        topic,
        scope.group("billing"),
        point.name());
  }

  private long sent() {
    return rows("select count(*) from sent");
  }

  private String journalState() {
    return DatabaseRows.strings(
            database,
            """
            select (array['PENDING', 'STARTED', 'DONE', 'IN_DOUBT', 'HELD', 'FAILED', 'REJECTED'])[state + 1]
            from idembox.effect
            """)
        .get(0);
  }

  private long rows(String sql) {
    return DatabaseRows.count(database, sql);
  }

  private long committed() throws Exception {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()))) {
      OffsetAndMetadata offset =
          admin
              .listConsumerGroupOffsets(scope.group("billing"))
              .partitionsToOffsetAndMetadata()
              .get()
              .get(new TopicPartition(topic, 0));
      return offset == null ? 0 : offset.offset();
    }
  }
}
