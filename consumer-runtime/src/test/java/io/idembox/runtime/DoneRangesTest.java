package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.idembox.testkit.TestScope;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** What the database knows to be done, against a real broker and a real database. */
class DoneRangesTest extends ConsumerTestBase {
  DoneRangesTest(TestScope scope) {
    super(scope);
  }

  @Test
  void aRewoundGroupSkipsItsDoneRangesWithoutATransaction() throws Exception {
    handle(60);
    double transactions = meters.get("idembox.transaction").timer().count();
    rewind();
    reports.clear();

    InboxConsumer second = started(Orders::book);
    awaitCommitted(60);
    awaitSettled(second);

    assertThat(reports.stream().mapToInt(BatchReport::skipped).sum()).isEqualTo(60);
    assertThat(meters.get("idembox.transaction").timer().count()).isEqualTo((long) transactions);
    assertThat(skipped()).isEqualTo(60);
    assertThat(log.lines(Level.INFO)).anyMatch(line -> line.endsWith("done before"));
    assertThat(rows("select count(*) from ledger")).isEqualTo(60);
    assertThat(rows("select count(*) from sent")).isEqualTo(60);
  }

  @Test
  void theRangesAreInTheDatabaseBeforeTheOffsetIsInKafka() throws Exception {
    handle(60);

    assertThat(strings("select done::text from idembox.progress order by partition"))
        .containsExactly("{[0,20)}", "{[0,20)}", "{[0,20)}");
    assertThat(strings("select open::text from idembox.progress"))
        .as("released by a clean end")
        .containsOnlyNulls();
    assertThat(metadata(0)).isPresent();
  }

  /** C14: offsets expired, or were deleted by hand. */
  @Test
  void offsetsThatVanishedAreMadeUpForByTheDatabase() throws Exception {
    handle(60);
    try (Admin admin = admin()) {
      admin.deleteConsumerGroups(List.of(group)).all().get();
    }
    reports.clear();
    orders.send(topic, 0, "new", "new").flush();

    started(Orders::book);
    awaitCommitted(61);

    assertThat(reports.stream().mapToInt(BatchReport::delivered).sum()).isEqualTo(1);
    assertThat(rows("select count(*) from ledger")).isEqualTo(61);
  }

  /** Several partitions, records that have no id, and topics that stand at the same offset. */
  @Test
  void aTopicMadeAgainWhileItRunsIsReadFromItsStart() throws Exception {
    for (int i = 0; i < 60; i++) {
      orders.sendRaw(topic, i % 3, null, "{\"id\":\"o" + i + "\",\"amount\":7}");
    }
    orders.flush();
    started(Orders::book);
    awaitCommitted(60);
    makeTopicAgain();
    produceAgain(90, false);

    await()
        .atMost(SOON.multipliedBy(2))
        .until(() -> rows("select count(*) from ledger where order_id like 'again%'") >= 90);
    await()
        .atMost(SOON)
        .until(() -> committed(0) == 30 && committed(1) == 30 && committed(2) == 30);

    assertThat(rows("select count(distinct order_id) from ledger where order_id like 'again%'"))
        .isEqualTo(90);
  }

  /** Seen apart from the lag, which ends at the last stable offset. */
  @Test
  void whatAnOpenTransactionHoldsBackIsCountedAndReadAfterItsEnd() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers", scope.kafka().bootstrapServers(), "transactional.id", topic),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int i = 0; i < 5; i++) {
        byte[] value = ("{\"id\":\"o" + i + "\",\"amount\":7}").getBytes(StandardCharsets.UTF_8);
        producer.send(new ProducerRecord<>(topic, 0, null, value)).get();
      }
      InboxConsumer consumer = started(Orders::book);
      await().atMost(SOON).until(() -> unstable() == 5);
      assertThat(consumer.status().partitions().get(0).lagRecords().orElse(0)).isZero();
      assertThat(rows("select count(*) from ledger")).isZero();

      producer.commitTransaction();
      await().atMost(SOON).until(() -> rows("select count(*) from ledger") == 5);
      await().atMost(SOON).until(() -> committed(0) == 6 && unstable() == 0);
    }
  }

  private double unstable() {
    // None before the partition is assigned.
    return meters.find("idembox.lag.unstable.records").tag("partition", "0").gauges().stream()
        .mapToDouble(gauge -> gauge.value())
        .sum();
  }

  /** The database is another one: it does not know what this group has done. */
  @Test
  void theOffsetsOfAnotherDatabaseAreRefusedUntilTheyAreAdopted() throws Exception {
    handle(60);
    DatabaseRows.change(database, "update idembox.installation set id = gen_random_uuid()");

    assertThatThrownBy(() -> started(Orders::book))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("adoptOffsets()");

    orders.send(topic, 0, "new", "new").flush();
    start(builder().adoptOffsets().subscribe(json(topic, Orders::book)));
    awaitCommitted(61);
    assertThat(rows("select count(*) from ledger")).isEqualTo(61);
  }

  private void handle(int records) throws Exception {
    for (int i = 0; i < records; i++) {
      orders.send(topic, i % 3, "m" + i, "o" + i);
    }
    orders.flush();
    try (InboxConsumer consumer = started(Orders::book)) {
      awaitCommitted(records);
      awaitSettled(consumer);
    }
  }

  private void makeTopicAgain() throws Exception {
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(topic)).all().get();
      await().atMost(SOON).until(() -> !admin.listTopics().names().get().contains(topic));
      admin.createTopics(List.of(new NewTopic(topic, 3, (short) 1))).all().get();
      Map<TopicPartition, OffsetSpec> all = new HashMap<>();
      for (int partition = 0; partition < 3; partition++) {
        all.put(new TopicPartition(topic, partition), OffsetSpec.latest());
      }
      // Answered by the leaders themselves, so that the first batches find them.
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(() -> admin.listOffsets(all).all().get().size() == 3);
    }
  }

  /** By a producer that has not met the topic of that name before. */
  private void produceAgain(int records, boolean withIds) throws Exception {
    try (Orders fresh = new Orders(scope.kafka().bootstrapServers())) {
      for (int i = 0; i < records; i++) {
        fresh.sendRaw(
            topic, i % 3, withIds ? "again" + i : null, "{\"id\":\"again" + i + "\",\"amount\":7}");
      }
      fresh.flush();
    }
  }

  private double skipped() {
    return meters.find("idembox.records").tag("outcome", "skipped").counters().stream()
        .mapToDouble(c -> c.count())
        .sum();
  }

  private Optional<CommitMetadata> metadata(int partition) throws Exception {
    try (Admin admin = admin()) {
      OffsetAndMetadata offset =
          admin
              .listConsumerGroupOffsets(group)
              .partitionsToOffsetAndMetadata()
              .get()
              .get(new TopicPartition(topic, partition));
      return offset == null ? Optional.empty() : CommitMetadata.parse(offset.metadata());
    }
  }
}
