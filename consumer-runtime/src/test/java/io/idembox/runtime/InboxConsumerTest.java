package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.TestScope;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InboxConsumerTest extends ConsumerTestBase {
  InboxConsumerTest(TestScope scope) {
    super(scope);
  }

  @Test
  void eachMessageIsRecordedOnceAndEachEffectRunsOncePerKey() throws Exception {
    for (int i = 0; i < 90; i++) {
      orders.send(topic, i % 3, "m" + i, "o" + i);
    }
    for (int i = 0; i < 30; i++) {
      orders.send(topic, (i + 1) % 3, "m" + i, "o" + i); // the same message, published again
      orders.send(
          topic, i % 3, "again" + i, "o" + i); // another message that asks for the same mail
    }
    orders.flush();

    InboxConsumer consumer = started(Orders::book);
    awaitCommitted(150);
    awaitSettled(consumer);

    assertThat(rows("select count(*) from ledger")).isEqualTo(120);
    assertThat(rows("select count(distinct message_id) from ledger")).isEqualTo(120);
    assertThat(rows("select count(*) from sent")).isEqualTo(90);
    assertThat(rows("select count(distinct order_id) from sent")).isEqualTo(90);
    assertThat(reports.stream().mapToInt(BatchReport::handled).sum()).isEqualTo(120);
    assertThat(reports.stream().mapToInt(BatchReport::skipped).sum()).isEqualTo(30);
  }

  @Test
  void aRewoundGroupSkipsWhatIsRecorded() throws Exception {
    for (int i = 0; i < 60; i++) {
      orders.send(topic, i % 3, "m" + i, "o" + i);
    }
    orders.flush();
    try (InboxConsumer first = started(Orders::book)) {
      awaitCommitted(60);
      awaitSettled(first);
    }
    rewind();
    reports.clear();

    InboxConsumer second = started(Orders::book);
    awaitCommitted(60);
    awaitSettled(second);

    assertThat(reports.stream().mapToInt(BatchReport::skipped).sum()).isEqualTo(60);
    assertThat(rows("select count(*) from ledger")).isEqualTo(60);
    assertThat(rows("select count(*) from sent")).isEqualTo(60);
  }

  /** C05: the next poll goes past a failed record unless the consumer keeps it. */
  @Test
  void aFailingRecordIsNotPassedOverByTheRecordsBehindIt() throws Exception {
    for (int i = 0; i < 5; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.send(topic, 1, "other", "other");
    orders.flush();
    AtomicInteger attempts = new AtomicInteger();

    started(
        (message, tx) -> {
          if (message.offset() == 2
              && message.partition() == 0
              && attempts.incrementAndGet() <= 4) {
            throw new IllegalStateException("not now");
          }
          Orders.book(message, tx);
        });
    await().atMost(SOON).until(() -> attempts.get() >= 3);
    assertThat(committed(0)).as("never past the record that fails").isLessThanOrEqualTo(2);
    awaitCommitted(6);

    assertThat(attempts).hasValue(5);

    assertThat(strings("select order_id from ledger where order_id <> 'other' order by ctid"))
        .containsExactly("o0", "o1", "o2", "o3", "o4");
  }

  @Test
  void aRecordThatKeepsFailingStaysWhileOtherPartitionsGoOn() throws Exception {
    orders.send(topic, 0, "broken", "broken");
    orders.send(topic, 0, "behind", "behind");
    for (int i = 0; i < 20; i++) {
      orders.send(topic, 1, "m" + i, "o" + i);
    }
    orders.flush();

    InboxConsumer consumer =
        started(
            (message, tx) -> {
              if (message.value().id().equals("broken")) {
                throw new IllegalStateException("broken");
              }
              Orders.book(message, tx);
            });
    await().atMost(SOON).until(() -> committed(1) == 20);

    assertThat(rows("select count(*) from ledger")).isEqualTo(20);
    assertThat(committed(0)).isZero();
    Stall stall = consumer.status().partitions().get(0).stall().orElseThrow();
    assertThat(stall.reason()).isEqualTo(Stall.Reason.RECORD_FAILING);
    assertThat(stall.detail()).contains(topic + "-0@0");
    assertThat(meters.get("idembox.records").tag("outcome", "handled").counter().count())
        .isEqualTo(20);
    assertThat(meters.get("idembox.stalled.seconds").tag("partition", "0").gauge().value())
        .isPositive();
    assertThat(meters.get("idembox.stalls").tag("reason", "record_failing").gauge().value())
        .isEqualTo(1);
    assertThat(meters.get("idembox.records").tag("outcome", "retried").counter().count())
        .isPositive();
    consumer.close();
    assertThat(meters.find("idembox.stalls").gauges()).isEmpty();
    assertThat(meters.find("idembox.stalled.seconds").gauge()).as("no longer assigned").isNull();
  }

  @Test
  void aRolledBackMessageLeavesNeitherRow() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    CountDownLatch failed = new CountDownLatch(3);

    started(
        (message, tx) -> {
          Orders.book(message, tx);
          failed.countDown();
          throw new IllegalStateException("after its writes");
        });
    assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();

    assertThat(rows("select count(*) from ledger")).isZero();
    assertThat(rows("select count(*) from idembox.inbox")).isZero();
    assertThat(rows("select count(*) from idembox.effect")).isZero();
    assertThat(rows("select count(*) from sent")).isZero();
  }

  @Test
  void aBatchHandlerGetsTheNewMessagesOfATransactionInOrder() throws Exception {
    List<List<String>> lists = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 40; i++) {
      orders.send(topic, 0, "m" + i / 2, "o" + i / 2); // each message twice
    }
    orders.flush();

    start(
        builder()
            .subscribe(
                Subscription.topics(topic)
                    .jsonBatches(
                        Orders.Order.class,
                        (messages, tx) -> {
                          lists.add(messages.stream().map(m -> m.value().id()).toList());
                          messages.forEach(message -> Orders.book(message, tx));
                        })));
    awaitCommitted(40);

    assertThat(lists.stream().flatMap(List::stream))
        .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(i -> "o" + i).toList());
    assertThat(rows("select count(*) from ledger")).isEqualTo(20);
  }

  @Test
  void aBatchHandlersFailureEndsAtTheMessageAtFault() throws Exception {
    for (int i = 0; i < 20; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();

    start(
        builder()
            .subscribe(
                Subscription.topics(topic)
                    .jsonBatches(
                        Orders.Order.class,
                        (messages, tx) -> {
                          if (messages.stream().anyMatch(m -> m.offset() == 13)) {
                            throw new IllegalStateException("the thirteenth");
                          }
                          messages.forEach(message -> Orders.book(message, tx));
                        })));

    await().atMost(SOON).until(() -> committed(0) == 13);
    assertThat(rows("select count(*) from ledger")).isEqualTo(13);
  }

  @Test
  void aTypeWithoutAHandlerIsRecordedAsIgnored() throws Exception {
    orders.sendTyped(topic, 0, "m0", "OrderCreated", "o0");
    orders.sendTyped(topic, 0, "m1", "SomethingElse", "o1");
    orders.flush();

    start(
        builder()
            .subscribe(
                Subscription.topics(topic)
                    .types(TypeName.header("event-type"))
                    .on("OrderCreated", Orders.Order.class, Orders::book)));
    awaitCommitted(2);

    assertThat(rows("select count(*) from ledger")).isEqualTo(1);
    assertThat(rows("select count(*) from idembox.inbox")).isEqualTo(2);
    assertThat(reports.stream().mapToInt(BatchReport::ignored).sum()).isEqualTo(1);
  }

  /** C21: a tombstone and a record without a key are records like others. */
  @Test
  void aTombstoneHasNoValueAndNoKeyIsNoError() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    orders.sendTombstone(topic, 0, "m0");
    orders.send(topic, 0, "m1", "o1").flush();

    started(
        (message, tx) ->
            seen.add(
                message.isTombstone() + " " + (message.value() == null) + " " + message.keyText()));
    awaitCommitted(2);

    assertThat(seen).containsExactly("true true Optional.empty", "false false Optional.empty");
  }

  /** C09: a handler's Error must not end the thread and leave a consumer that only looks alive. */
  @Test
  void anErrorOfTheHandlerIsItsRecordsFailureAndTheConsumerGoesOn() throws Exception {
    orders.send(topic, 0, "m0", "o0").send(topic, 1, "m1", "o1").flush();
    AtomicInteger overflows = new AtomicInteger();

    started(
        (message, tx) -> {
          if (message.partition() == 0 && overflows.incrementAndGet() <= 2) {
            throw new StackOverflowError();
          }
          Orders.book(message, tx);
        });
    awaitCommitted(2);

    assertThat(rows("select count(*) from ledger")).isEqualTo(2);
  }

  @Test
  void aHandlerThatLeavesItsThreadInterruptedDisturbsNobody() throws Exception {
    for (int i = 0; i < 10; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();

    started(
        (message, tx) -> {
          Orders.book(message, tx);
          Thread.currentThread().interrupt();
        });
    awaitCommitted(10);

    assertThat(rows("select count(*) from ledger")).isEqualTo(10);
  }

  @Test
  void eachHandledMessageHasASpanThatLinksToItsProducer() throws Exception {
    InMemorySpanExporter exported = InMemorySpanExporter.create();
    OpenTelemetry telemetry =
        new OpenTelemetry() {
          private final SdkTracerProvider tracers =
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exported))
                  .build();

          @Override
          public TracerProvider getTracerProvider() {
            return tracers;
          }

          @Override
          public ContextPropagators getPropagators() {
            return ContextPropagators.noop();
          }
        };
    String trace = "0af7651916cd43dd8448eb211c80319c";
    orders.sendTraced(topic, 0, "m0", "00-" + trace + "-b7ad6b7169203331-01", "o0");
    orders.send(topic, 0, "m0", "o0").flush(); // a duplicate: nothing is processed

    start(builder().openTelemetry(telemetry).subscribe(json(topic, Orders::book)));
    awaitCommitted(2);

    assertThat(exported.getFinishedSpanItems()).hasSize(1);
    SpanData span = exported.getFinishedSpanItems().get(0);
    assertThat(span.getName()).isEqualTo("process " + topic);
    assertThat(span.getLinks())
        .singleElement()
        .satisfies(link -> assertThat(link.getSpanContext().getTraceId()).isEqualTo(trace));
    assertThat(span.getAttributes().get(AttributeKey.longKey("messaging.kafka.offset")))
        .isEqualTo(0);
  }

  /** C07: a stop lets the running batch finish and commits its offset before it lets go. */
  @Test
  void closeFinishesTheRunningBatchAndCommitsItsOffset() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch mayFinish = new CountDownLatch(1);
    orders.send(topic, 0, "m0", "o0").flush();
    InboxConsumer consumer =
        started(
            (message, tx) -> {
              running.countDown();
              mayFinish.await();
              Orders.book(message, tx);
            });
    assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();

    Thread closing = new Thread(consumer::close);
    closing.start();
    await().atMost(SOON).until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    mayFinish.countDown();
    closing.join(TimeUnit.SECONDS.toMillis(30));

    assertThat(closing.isAlive()).isFalse();
    assertThat(committed(0)).isEqualTo(1);
    assertThat(rows("select count(*) from ledger")).isEqualTo(1);
  }

  /** C02: two members that hold the same message at once record it once. */
  @Test
  void twoMembersThatClaimOneIdAtOnceHandleItOnce() throws Exception {
    String copies = scope.topic("copies", 1);
    CountDownLatch bothAsked = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    InboxHandler<Orders.Order> handler =
        (message, tx) -> {
          runs.incrementAndGet();
          bothAsked.await(2, TimeUnit.SECONDS); // holds the transaction open while the other claims
          Orders.book(message, tx);
        };
    String id = "7b0c4f3e-3a53-4d0f-9c55-0a1a4b6f2d11"; // a UUID is known whatever its topic
    orders.send(topic, 0, id, "o0").send(copies, 0, id, "o0").flush();

    started(handler);
    start(builder().groupId(group + "-copies").subscribe(json(copies, handler)));
    await().atMost(SOON).until(() -> committed(0) == 1);
    await().atMost(SOON).until(() -> committed(group + "-copies", copies, 0) == 1);

    assertThat(runs).hasValue(1);
    assertThat(rows("select count(*) from ledger")).isEqualTo(1);
    assertThat(rows("select count(*) from idembox.inbox")).isEqualTo(1);
  }
}
