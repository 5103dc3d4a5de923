package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Situations that people met in the field, each under the name of its case. */
@Tag("field-cases")
class FieldCasesTest extends ConsumerTestBase {
  private final List<JavaProcess> processes = new ArrayList<>();

  FieldCasesTest(TestScope scope) {
    super(scope);
  }

  @AfterEach
  void stopProcesses() {
    processes.forEach(JavaProcess::close);
  }

  @Test
  void c05aAFailedRecordIsTriedAgainBeforeTheOffsetPassesIt() throws Exception {
    send(0, 5);
    AtomicInteger failures = new AtomicInteger();

    start(
        builder()
            .subscribe(
                json(
                    topic,
                    (message, tx) -> {
                      if (message.offset() == 2 && failures.incrementAndGet() <= 3) {
                        assertThat(committed(0)).isLessThanOrEqualTo(2);
                        throw new IllegalStateException("not yet");
                      }
                      Orders.book(message, tx);
                    })));
    awaitCommitted(5);

    assertThat(strings("select order_id from ledger order by position"))
        .containsExactly("o0", "o1", "o2", "o3", "o4");
  }

  @Test
  void c05bARecordThatAlwaysFailsHoldsItsOffsetOverARestart() throws Exception {
    send(0, 5);
    for (int run = 0; run < 2; run++) {
      try (InboxConsumer consumer =
          started(
              (message, tx) -> {
                if (message.offset() == 2) {
                  throw new IllegalStateException("never");
                }
                Orders.book(message, tx);
              })) {
        await().atMost(SOON).until(() -> committed(0) == 2);
        await()
            .atMost(SOON)
            .until(
                () ->
                    consumer.status().partitions().stream()
                        .anyMatch(partition -> partition.stall().isPresent()));
      }
    }
    assertThat(committed(0)).isEqualTo(2);
    assertThat(rows("select count(*) from ledger")).isEqualTo(2);
    assertThat(log.complainsOf(topic + "-0@2")).isTrue();
  }

  @Test
  void c06MarkersAndAbortedTransactionsLeaveNoHoleInTheOffsets() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers", scope.kafka().bootstrapServers(), "transactional.id", topic),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      transaction(producer, true, "o1", "o2");
      transaction(producer, false, "o3");
      transaction(producer, true, "o4");
    }

    try (InboxConsumer first = started(Orders::book)) {
      awaitCommitted(7);
      awaitSettled(first);
      assertThat(first.status().partitions().get(0).lagRecords().orElse(0)).isZero();
    }
    started(Orders::book);
    orders.send(topic, 1, "m", "o5").flush();
    await().atMost(SOON).until(() -> committed(1) == 1);

    assertThat(strings("select order_id from ledger order by position"))
        .containsExactly("o1", "o2", "o4", "o5");
    assertThat(rows("select count(*) from sent where order_id = 'o3'")).isZero();
    assertThat(strings("select done::text || lost::text from idembox.progress where partition = 0"))
        .as("markers are holes inside what is done, and nothing was lost")
        .containsExactly("{[0,7)}{}");
  }

  @Test
  void c07aSigtermFinishesTheRunningRecordAndBeginsNoOther() throws Exception {
    for (int i = 0; i < 16; i++) {
      orders.send(topic, i % 2, "m" + i, "o" + i);
    }
    orders.flush();
    JavaProcess first = member("700", "20");
    first.awaitLine("HANDLE", SOON);

    long begun = System.nanoTime();
    first.terminate();
    assertThat(first.awaitExit(SOON)).isEqualTo(143);

    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
    assertThat(committed(0) + committed(1)).isEqualTo(handled(first).size());
    JavaProcess second = member("0", "20");
    awaitCommitted(16);
    List<String> all = new ArrayList<>(handled(first));
    all.addAll(handled(second));
    assertThat(all).as("none is handled twice").hasSize(16).doesNotHaveDuplicates();
    assertThat(rows("select count(*) from ledger")).isEqualTo(16);
    await().atMost(SOON).until(() -> rows("select count(*) from sent") == 16);
  }

  @Test
  void c07bAHandlerThatOutlivesTheBudgetIsNamedAndItsRecordIsHandledByTheNext() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    JavaProcess first = member("60000", "3");
    first.awaitLine("HANDLE", SOON);

    first.terminate();
    assertThat(first.awaitExit(SOON)).isEqualTo(143);

    assertThat(first.output()).anyMatch(line -> line.contains(topic + "-0@0"));
    assertThat(committed(0)).isZero();
    member("0", "20");
    awaitCommitted(1);
    assertThat(rows("select count(*) from ledger")).isEqualTo(1);
  }

  @Test
  void c10OneStuckRecordStopsItsKeyOnly() throws Exception {
    AtomicBoolean works = new AtomicBoolean();
    orders.sendKeyed(topic, 0, "A", "a1", "a1");
    orders.sendKeyed(topic, 0, "A", "a2", "a2");
    orders.sendKeyed(topic, 0, "A", "a3", "a3");
    for (int i = 0; i < 200; i++) {
      orders.send(topic, 1 + i % 2, "m" + i, "o" + i);
    }
    orders.flush();

    started(
        (message, tx) -> {
          if (message.value().id().equals("a1") && !works.get()) {
            throw new IllegalStateException("stuck");
          }
          Orders.book(message, tx);
        });
    await().atMost(SOON).until(() -> committed(1) + committed(2) == 200);
    assertThat(rows("select count(*) from ledger where order_id like 'a%'")).isZero();
    works.set(true);
    await().atMost(SOON).until(() -> committed(0) == 3);

    assertThat(strings("select order_id from ledger where order_id like 'a%' order by position"))
        .containsExactly("a1", "a2", "a3");
    assertThat(log.complainsOf("Revoked")).isFalse();
  }

  /** The same under KEY: neighbours of the key in its own partition go on, too. */
  @Test
  void c10OneStuckKeyLetsItsNeighboursInThePartitionGoOn() throws Exception {
    AtomicBoolean works = new AtomicBoolean();
    for (int i = 1; i <= 3; i++) {
      orders.sendKeyed(topic, 0, "A", "a" + i, "a" + i);
      for (int key = 0; key < 20; key++) {
        orders.sendKeyed(topic, 0, "B" + key, "b" + key + i, "b" + key + "-" + i);
      }
    }
    orders.flush();

    start(
        builder()
            .ordering(Ordering.KEY)
            .subscribe(
                json(
                    topic,
                    (message, tx) -> {
                      if (message.value().id().equals("a1") && !works.get()) {
                        throw new IllegalStateException("stuck");
                      }
                      Orders.book(message, tx);
                    })));
    await().atMost(SOON).until(() -> rows("select count(*) from ledger") == 60);
    assertThat(rows("select count(*) from ledger where order_id like 'a%'")).isZero();
    assertThat(committed(0)).as("the offset waits for the stuck one").isZero();
    works.set(true);
    await().atMost(SOON).until(() -> committed(0) == 63);

    assertThat(strings("select order_id from ledger where order_id like 'a%' order by position"))
        .containsExactly("a1", "a2", "a3");
    assertThat(rows("select count(*) from ledger")).isEqualTo(63);
  }

  @Test
  void c23TheSameEventPublishedThreeTimesIsHandledOnce() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    String event = "7b0c4f3e-3a53-4d0f-9c55-0a1a4b6f2d23";
    orders.send(topic, 0, event, "o1");
    for (int i = 1; i < 7; i++) {
      orders.send(topic, 0, "m" + i, "other" + i);
    }
    orders.send(topic, 0, event, "o1").flush();

    InboxConsumer consumer =
        started(
            (message, tx) -> {
              if (message.partition() == 0 && message.offset() == 0) {
                running.countDown();
                // The copy on partition 1 is claimed meanwhile, and waits.
                await().atMost(SOON).until(() -> waitsForALock());
              }
              Orders.book(message, tx);
            });
    assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 3; i++) {
      orders.send(topic, 1, "n" + i, "more" + i);
    }
    orders.send(topic, 1, event, "o1").flush();
    awaitCommitted(12);
    awaitSettled(consumer);

    assertThat(rows("select count(*) from ledger where order_id = 'o1'")).isEqualTo(1);
    assertThat(rows("select count(*) from sent where order_id = 'o1'")).isEqualTo(1);
    assertThat(rows("select count(*) from idembox.inbox")).isEqualTo(10);
  }

  private boolean waitsForALock() {
    return rows(
            "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                + " and datname = current_database()")
        > 0;
  }

  private void send(int first, int count) throws Exception {
    for (int i = first; i < first + count; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();
  }

  private void transaction(
      KafkaProducer<byte[], byte[]> producer, boolean commit, String... orderIds) {
    producer.beginTransaction();
    for (String id : orderIds) {
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>(
              topic,
              0,
              null,
              ("{\"id\":\"" + id + "\",\"amount\":7}").getBytes(StandardCharsets.UTF_8));
      record.headers().add("message-id", id.getBytes(StandardCharsets.UTF_8));
      // The commit fails if the record did; of the aborted one nobody wants to know.
      Future<RecordMetadata> unused = producer.send(record);
    }
    producer.flush();
    if (commit) {
      producer.commitTransaction();
    } else {
      producer.abortTransaction();
    }
  }

  private JavaProcess member(String millis, String budget) {
    JavaProcess process =
        JavaProcess.start(
            CaseMember.class,
            scope.kafka().bootstrapServers(),
            database.getJdbcUrl(),
            scope.redis().uri(),
            topic,
            group,
            millis,
            budget);
    processes.add(process);
    return process;
  }

  private static List<String> handled(JavaProcess process) {
    return process.output().stream().filter(line -> line.startsWith("HANDLE")).toList();
  }
}
