package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Field cases about members that come and go, and topics that change under them. */
class PositionFieldCasesTest extends FieldCaseProcesses {
  private static final int CHANGES = Integer.getInteger("idembox.case.changes", 3);

  PositionFieldCasesTest(TestScope scope) {
    super(scope);
  }

  /** A rebalance every few seconds, under load; {@code -Didembox.case.changes=12} as reported. */
  @Test
  void c04aMembersComeAndGoWhileOffsetsAreCommitted() throws Exception {
    makeTopic(4);
    JavaProcess first = start();
    first.awaitLine("Assigned", SOON);
    int sent = 0;
    try (Orders orders = new Orders(brokers())) {
      for (int change = 0; change < CHANGES; change++) {
        JavaProcess second = start();
        sent = sendUntil(orders, sent, () -> says(second, "goes on at"));
        sent = sendFor(orders, sent, Duration.ofSeconds(1));
        second.terminate();
        sent = sendUntil(orders, sent, () -> !second.isAlive());
        assertThat(second.awaitExit(SOON)).isEqualTo(143);
      }
    }

    awaitNext(sent);
    assertOncePerOrder(sent);
    assertThat(first.isAlive()).isTrue();
    assertThat(first.output()).noneMatch(line -> line.contains("The poll loop ended"));
  }

  /** A member that was thrown out wakes up with work in its hands, and commits what it may not. */
  @Test
  void c04bAMemberThatWasThrownOutKeepsWorking() throws Exception {
    makeTopic(4);
    JavaProcess first = start("sleep=o0:300");
    first.awaitLine("Assigned", SOON);
    JavaProcess second = start("sleep=o0:300");
    second.awaitLine("goes on at", SOON);
    int sent;
    try (Orders orders = new Orders(brokers())) {
      sent = sendUntil(orders, 0, () -> nextOfAll() > 0);
      first.freeze();
      long assigned = lines(second, "goes on at");
      sent = sendUntil(orders, sent, () -> lines(second, "goes on at") > assigned);
      first.thaw();
      sent = sendUntil(orders, sent, () -> says(first, "Lost: "));
      long before = lines(first, "BATCH ");
      sent = sendUntil(orders, sent, () -> lines(first, "BATCH ") > before);
    }

    awaitNext(sent);
    assertOncePerOrder(sent);
    assertThat(first.isAlive() && second.isAlive()).as("both keep consuming").isTrue();
  }

  @Test
  void c12aATopicMadeAgainWhileNobodyRanIsReadFromItsStart() throws Exception {
    makeTopic(1);
    send(0, 0, 10);
    JavaProcess first = start();
    awaitNext(10);
    stop(first);
    makeTopicAgain();
    send(0, 10, 20);

    start();
    await().atMost(SOON).until(() -> rows() == 20);

    awaitNext(10);
    assertOncePerOrder(20);
  }

  @Test
  void c12bATopicMadeAgainUnderARunningMemberIsReadFromItsStart() throws Exception {
    makeTopic(1);
    send(0, 0, 10);
    JavaProcess member = start();
    awaitNext(10);
    makeTopicAgain();
    // More than before: only the topic's id tells that offset 10 is another record now.
    send(0, 10, 25);

    await().atMost(SOON).until(() -> rows() == 25);

    awaitNext(15);
    assertOncePerOrder(25);
    assertThat(member.isAlive()).isTrue();
  }

  @Test
  void c12cRecordsWithoutAnIdOfATopicMadeAgainAreNoDuplicates() throws Exception {
    makeTopic(1);
    sendWithoutIds(0, 10);
    JavaProcess first = start();
    awaitNext(10);
    stop(first);
    makeTopicAgain();
    sendWithoutIds(10, 20);

    start();
    await().atMost(SOON).until(() -> rows() == 20);

    assertOncePerOrder(20);
    assertThat(inbox()).as("coordinates name the topic by its id").isEqualTo(20);
  }

  @Test
  void c12dAnOffsetSetByHandOnATopicMadeAgainIsHonouredAndSaid() throws Exception {
    makeTopic(1);
    send(0, 0, 10);
    JavaProcess first = start();
    awaitNext(10);
    stop(first);
    makeTopicAgain();
    send(0, 10, 20);
    try (Admin admin = admin()) {
      TopicPartition partition = new TopicPartition(topic, 0);
      admin
          .alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(10)))
          .all()
          .get();
    }

    JavaProcess second = start();
    second.awaitLine("METER idembox.offsets.jumped 10", SOON);
    send(0, 20, 21);
    await().atMost(SOON).until(() -> rows() == 11);

    assertThat(second.output())
        .anyMatch(line -> line.contains("somebody has moved it") && line.contains("[0,10)"));
    assertThat(strings("select skipped::text from idembox.progress order by topic_id desc limit 1"))
        .containsExactly("{[0,10)}");
  }

  @Test
  void c13aRecordsThatRetentionTookBeforeTheyWereReadAreSaidAndCounted() throws Exception {
    makeTopic(1);
    send(0, 0, 50);
    JavaProcess first = start();
    awaitNext(50);
    stop(first);
    send(0, 50, 100);
    try (Admin admin = admin()) {
      admin
          .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(80)))
          .all()
          .get();
    }
    send(0, 100, 120);

    JavaProcess second = start();
    second.awaitLine("METER idembox.offsets.lost 30", SOON);
    awaitNext(120);

    assertOncePerOrder(50 + 40);
    assertThat(second.output()).anyMatch(line -> line.contains("WARN") && line.contains("[50,80)"));
  }

  @Test
  void c13bPartitionsThatAreAddedLoseNothingThoughTheSettingSaysTheEnd() throws Exception {
    makeTopic(3);
    JavaProcess member = start("latest", "metadataMs=1000");
    member.awaitLine("starts at 0 (LATEST)", SOON);
    try (Admin admin = admin()) {
      admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(6))).all().get();
      awaitServed(admin, 6);
    }
    for (int partition = 3; partition < 6; partition++) {
      send(partition, partition * 10, partition * 10 + 10);
    }

    await().atMost(SOON).until(() -> rows() == 30);

    assertOncePerOrder(30);
    assertThat(member.output())
        .as("a start at the end is warned of")
        .anyMatch(line -> line.contains("WARN") && line.contains("start LATEST"));
  }

  private void makeTopicAgain() throws Exception {
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(topic)).all().get();
      await().atMost(SOON).until(() -> !admin.listTopics().names().get().contains(topic));
    }
    makeTopic(1);
  }

  private void sendWithoutIds(int from, int to) throws Exception {
    try (Orders orders = new Orders(brokers())) {
      for (int i = from; i < to; i++) {
        orders.sendRaw(topic, 0, null, "{\"id\":\"o" + i + "\",\"amount\":7}");
      }
      orders.flush();
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  /** Twenty records a second over four partitions; returns the number of the next. */
  private int sendUntil(Orders orders, int next, Condition end) throws Exception {
    int sent = next;
    long limit = System.nanoTime() + SOON.toNanos();
    while (!end.holds()) {
      assertThat(System.nanoTime()).as("the condition holds in time").isLessThan(limit);
      orders.send(topic, sent % 4, "m" + sent, "o" + sent).flush();
      sent++;
      // The pace of the case, not a wait for anything.
      TimeUnit.MILLISECONDS.sleep(50);
    }
    return sent;
  }

  private int sendFor(Orders orders, int next, Duration time) throws Exception {
    long end = System.nanoTime() + time.toNanos();
    return sendUntil(orders, next, () -> System.nanoTime() > end);
  }
}
