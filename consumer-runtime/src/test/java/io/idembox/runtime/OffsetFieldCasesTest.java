package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Situations about offsets and positions that people met with other consumers, as black boxes:
 * members are processes of their own, looked at from outside alone. Each test names its case.
 */
class OffsetFieldCasesTest extends FieldCaseProcesses {
  private static final Duration LONG = Duration.ofMinutes(4);
  private static final int KILLS = Integer.getInteger("idembox.case.kills", 20);
  private static final Pattern SKIPPED = Pattern.compile("^BATCH .* skipped=(\\d+)$");

  // Shared: the test must not need the memory that it denies the consumer.
  private static final byte[] SMALL = new byte[200_000];

  private static EmbeddedKafka kafka;

  OffsetFieldCasesTest(TestScope scope) {
    super(scope);
  }

  @BeforeAll
  static void startBroker() {
    kafka =
        EmbeddedKafka.builder()
            .behindRelay()
            .property("group.min.session.timeout.ms", "1000")
            .property("message.max.bytes", "10000000")
            .property("replica.fetch.max.bytes", "10000000")
            .property("log.cleaner.backoff.ms", "200")
            .start();
  }

  @AfterAll
  static void stopBroker() {
    kafka.close();
  }

  @AfterEach
  void mendRelay() {
    kafka.relay().pass();
  }

  @Override
  String brokers() {
    return kafka.bootstrapServers();
  }

  @Test
  void c01ACrashAfterTheCommitAndBeforeTheOffset() throws Exception {
    makeTopic(1);
    try (Orders orders = orders()) {
      orders.send(topic, 0, "m1", "o1").flush();
    }
    JavaProcess first = start(kafka.relay().address(), List.of(), "commitMs=3000");
    await().atMost(SOON).until(() -> mails() == 1 && rows() == 1);
    kafka.relay().pause();
    first.kill();
    assertThat(next(0)).isZero();
    kafka.relay().pass();

    JavaProcess second = start();
    await().atMost(SOON).until(() -> next(0) == 1);

    assertThat(rows()).isEqualTo(1);
    assertThat(mails()).isEqualTo(1);
    assertThat(inbox()).isEqualTo(1);
    assertThat(second.output()).anyMatch(line -> line.contains("skipped"));
  }

  @Test
  void c01AStormOfKills() throws Exception {
    makeTopic(1);
    Random random = new Random(1);
    // What a kill costs is mostly the wait until the group has noticed it.
    String[] settings = {"handlerMs=20", "sessionMs=2500"};
    JavaProcess member = start(settings);
    try (Orders orders = orders()) {
      for (int kill = 0; kill < KILLS; kill++) {
        for (int i = kill * 200 / KILLS; i < (kill + 1) * 200 / KILLS; i++) {
          orders.send(topic, 0, "m" + i, "o" + i);
        }
        orders.flush();
        member.awaitLine("Assigned", SOON);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_500));
        await()
            .pollInterval(Duration.ofMillis(10))
            .atMost(SOON)
            .until(() -> System.nanoTime() - until >= 0);
        member.kill();
        members.remove(member);
        member.close();
        member = start(settings);
      }
    }
    await().atMost(LONG).until(() -> next(0) == 200);
    await().atMost(LONG).until(() -> unsettled() == 0);

    assertThat(rows()).isEqualTo(200);
    assertThat(count("select count(distinct order_id) from ledger")).isEqualTo(200);
    assertThat(inbox()).isEqualTo(200);
    assertThat(count("select count(distinct provider_key) from sent")).isEqualTo(200);
    assertThat(mails()).isBetween(200L, 200L + KILLS);
  }

  @Test
  void c02AFrozenMemberAndItsSuccessorHandleARecordOnce() throws Exception {
    makeTopic(1);
    JavaProcess first = start("sleep=o1:8000");
    first.awaitLine("Assigned", SOON);
    JavaProcess second = start("sleep=o1:100");
    try (Orders orders = orders()) {
      orders.send(topic, 0, "m1", "o1").flush();
    }
    await().atMost(SOON).until(() -> says(first, "HANDLING o1") || says(second, "HANDLING o1"));
    JavaProcess holder = says(first, "HANDLING o1") ? first : second;
    JavaProcess successor = holder == first ? second : first;
    holder.freeze();
    successor.awaitLine("goes on at", SOON);
    holder.thaw();

    await().atMost(LONG).until(() -> next(0) == 1 && rows() == 1 && unsettled() == 0);
    assertThat(mails()).isEqualTo(1);
    assertThat(inbox()).isEqualTo(1);
    assertThat(count("select count(*) from idembox.dead_letter")).isZero();
    try (Orders orders = orders()) {
      orders.send(topic, 0, "m2", "o2").flush();
    }
    await().atMost(SOON).until(() -> next(0) == 2);
    assertThat(holder.isAlive()).as("it joins again and keeps working").isTrue();
  }

  /** Three of ten offsets survive; what compaction took was never lost. */
  @Test
  void c06ACompactedTopicLeavesNoHoleInTheOffsets() throws Exception {
    kafka.createTopic(
        topic,
        1,
        Map.of(
            "cleanup.policy", "compact", "segment.ms", "100", "min.cleanable.dirty.ratio", "0.01"));
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      String key = "k" + Math.max(0, i - 7);
      records.add(record(key, "{\"id\":\"o" + i + "\",\"amount\":1}", "m" + i));
    }
    send(records);
    // A record of another key, each time, until the cleaner has been at the segments before it.
    int more = 10;
    long limit = System.nanoTime() + SOON.toNanos();
    while (recordsThatSurvive(10) != 3) {
      send(List.of(record("more" + more, "{\"id\":\"o" + more + "\",\"amount\":1}", "m" + more)));
      more++;
      assertThat(System.nanoTime()).as("the cleaner comes in time").isLessThan(limit);
    }

    JavaProcess first = start();
    int end = more;
    await().atMost(SOON).until(() -> next(0) == end && unsettled() == 0);
    stop(first);
    setBack(1);
    JavaProcess second = start();
    await().atMost(SOON).until(() -> next(0) == end);

    assertThat(rows()).isEqualTo(3 + end - 10);
    assertThat(mails()).isEqualTo(rows());
    assertThat(skips(second)).isEqualTo(rows());
    assertThat(strings("select done::text || lost::text from idembox.progress"))
        .containsExactly("{[0," + end + ")}{}");
    assertThat(first.output()).noneMatch(line -> line.contains("dropped"));
  }

  private long recordsThatSurvive(long below) {
    TopicPartition partition = new TopicPartition(topic, 0);
    try (KafkaConsumer<byte[], byte[]> reader =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", brokers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      reader.assign(List.of(partition));
      reader.seekToBeginning(List.of(partition));
      long found = 0;
      while (reader.position(partition) < below) {
        for (ConsumerRecord<byte[], byte[]> each : reader.poll(Duration.ofMillis(200))) {
          found += each.offset() < below ? 1 : 0;
        }
      }
      return found;
    }
  }

  /** C07 (b), and a second SIGTERM: it does not wait for the stop time-out. */
  @Test
  void c07ASecondSignalHurriesAndNamesWhatDidNotFinish() throws Exception {
    makeTopic(1);
    JavaProcess member = start("sleep=o1:120000");
    try (Orders orders = orders()) {
      orders.send(topic, 0, "m0", "o0").send(topic, 0, "m1", "o1").flush();
    }
    member.awaitLine("HANDLING o1", SOON);
    member.terminate();
    member.awaitLine("Consumer " + group + " is stopping", SOON);
    long asked = System.nanoTime();
    member.terminate();

    assertThat(member.awaitExit(SOON)).isEqualTo(143);
    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(15));
    assertThat(member.output())
        .anyMatch(line -> line.contains(topic + "-0@") && line.contains("did not finish"));
    start();
    await().atMost(SOON).until(() -> rows() == 2);
  }

  @Test
  void c11ALargeBacklogOfLargeMessagesFitsIntoASmallHeap() throws Exception {
    makeTopic(6);
    int small = Integer.getInteger("idembox.case.large", 5_000);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < small + 5; i++) {
      records.add(large(i, i % 6, i < small ? 200_000 : 8_000_000));
    }
    send(records);

    JavaProcess member = start(brokers(), List.of("-Xmx256m"), "bytes", "handlerMs=20");
    await().atMost(LONG).until(() -> rows() == small + 5 || !member.isAlive());

    assertThat(member.isAlive()).as(() -> lastLines(member)).isTrue();
    assertThat(rows()).isEqualTo(small + 5);
    assertThat(member.output()).noneMatch(line -> line.contains("OutOfMemoryError"));
  }

  @Test
  void c14OffsetsThatWereSetBackBringNoSecondMail() throws Exception {
    makeTopic(3);
    try (Orders orders = orders()) {
      for (int i = 0; i < 500; i++) {
        orders.send(topic, i % 3, "m" + i, "o" + i);
      }
      orders.flush();
      JavaProcess before = start();
      await().atMost(SOON).until(() -> next(0) + next(1) + next(2) == 500 && unsettled() == 0);
      before.terminate();
      assertThat(before.awaitExit(SOON)).isEqualTo(143);
      setBack(3);
      for (int i = 500; i < 520; i++) {
        orders.send(topic, i % 3, "m" + i, "o" + i);
      }
      orders.flush();
    }

    JavaProcess first = start();
    JavaProcess second = start();
    await().atMost(SOON).until(() -> next(0) + next(1) + next(2) == 520 && unsettled() == 0);

    assertThat(rows()).isEqualTo(520);
    assertThat(mails()).isEqualTo(520);
    assertThat(skips(first) + skips(second)).isEqualTo(500);
    assertThat(first.output().toString() + second.output()).contains("done before");
  }

  @Test
  void c21TombstonesAndNullKeysAreOrdinaryRecords() throws Exception {
    makeTopic(1);
    send(
        List.of(
            record("o1", "{\"id\":\"o1\",\"amount\":1}", "a"),
            record("o1", null, "b"),
            record(null, "{\"id\":\"o2\",\"amount\":1}", "c"),
            record(null, null, "d"),
            record("o2", null, null),
            record("o3", "{\"id\":\"o3\",\"amount\":1}", "e")));

    JavaProcess member = start();
    await().atMost(SOON).until(() -> next(0) == 6);

    assertThat(inbox()).isEqualTo(6);
    assertThat(count("select count(*) from ledger where order_id = 'nothing'")).isEqualTo(3);
    assertThat(rows()).isEqualTo(6);
    assertThat(member.output()).noneMatch(line -> line.contains("NullPointerException"));
  }

  @Override
  void makeTopic(int partitions) {
    kafka.createTopic(topic, partitions, Map.of("max.message.bytes", "10000000"));
  }

  private static String lastLines(JavaProcess member) {
    List<String> lines = member.output();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
  }

  private static long skips(JavaProcess member) {
    long skips = 0;
    for (String line : member.output()) {
      Matcher batch = SKIPPED.matcher(line);
      if (batch.matches()) {
        skips += Long.parseLong(batch.group(1));
      }
    }
    return skips;
  }

  private Orders orders() {
    return new Orders(kafka.bootstrapServers());
  }

  private static void send(List<ProducerRecord<byte[], byte[]>> records) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers(), "max.request.size", "10000000"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      records.forEach(record -> sent.add(producer.send(record)));
      for (Future<RecordMetadata> each : sent) {
        each.get();
      }
    }
  }

  private ProducerRecord<byte[], byte[]> large(int number, int partition, int bytes) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, partition, null, bytes == 200_000 ? SMALL : new byte[bytes]);
    record.headers().add("message-id", ("m" + number).getBytes(StandardCharsets.UTF_8));
    return record;
  }

  private ProducerRecord<byte[], byte[]> record(
      @Nullable String key, @Nullable String value, @Nullable String id) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic, 0, key == null ? null : bytes(key), value == null ? null : bytes(value));
    if (id != null) {
      record.headers().add("message-id", bytes(id));
    }
    return record;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void setBack(int partitions) throws Exception {
    Map<TopicPartition, OffsetAndMetadata> beginning = new HashMap<>();
    for (int i = 0; i < partitions; i++) {
      beginning.put(new TopicPartition(topic, i), new OffsetAndMetadata(0));
    }
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      admin.alterConsumerGroupOffsets(group, beginning).all().get();
    }
  }
}
