package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.idembox.inbox.InboxTransaction;
import io.idembox.testkit.TestScope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Handlers that take long over a record without a statement, as those that call a server do. */
class SlowHandlerTest extends ConsumerTestBase {
  private static final Duration IDLE = Duration.ofSeconds(2);

  private final List<String> handled = new CopyOnWriteArrayList<>();

  SlowHandlerTest(TestScope scope) {
    super(scope);
  }

  /**
   * Together they would idle for longer than PostgreSQL lets a transaction; a list is never cut.
   */
  @Test
  void recordsThatAreSlowFromTheStartGetOn() throws Exception {
    send(16);

    start(
        impatient()
            .subscribe(
                Subscription.topics(topic)
                    .jsonBatches(
                        Orders.Order.class,
                        (messages, tx) -> {
                          for (InboxMessage<Orders.Order> message : messages) {
                            slowly(message, tx);
                          }
                        })));
    awaitCommitted(16);

    assertThat(handled).as("each once").hasSize(16);
    assertThat(rows("select count(*) from ledger")).isEqualTo(16);
  }

  /** A batch that was sized for a quicker pace commits what it has, and gives back the rest. */
  @Test
  void recordsThatTurnSlowCloseTheirBatchEarly() throws Exception {
    send(60);

    start(
        impatient()
            .subscribe(
                json(
                    topic,
                    (message, tx) -> {
                      if (message.offset() < 40) {
                        book(message, tx);
                      } else {
                        slowly(message, tx);
                      }
                    })));
    awaitCommitted(60);

    assertThat(handled).as("each once").hasSize(60);
    assertThat(rows("select count(*) from ledger")).isEqualTo(60);
    assertThat(rows("select count(*) from idembox.inbox")).isEqualTo(60);
    assertThat(reports.stream().mapToInt(BatchReport::delivered).sum()).isEqualTo(60);
    assertThat(reports.stream().mapToInt(BatchReport::skipped).sum()).isZero();
    assertThat(reports)
        .as("no transaction holds more slow records than fit")
        .filteredOn(report -> report.firstOffset() >= 40)
        .allSatisfy(report -> assertThat(report.delivered()).isLessThanOrEqualTo(5));
  }

  /** A list cannot be closed early: it runs out of time as a whole, and comes again in halves. */
  @Test
  void aListThatRunsIntoTheTimeoutIsHalvedAndSaysWhichSettingEndedIt() throws Exception {
    send(104);

    start(
        impatient()
            .batchRecords(4)
            .subscribe(
                Subscription.topics(topic)
                    .jsonBatches(
                        Orders.Order.class,
                        (messages, tx) -> {
                          if (messages.size() > 1
                              && messages.get(messages.size() - 1).offset() >= 100) {
                            never().await(IDLE.toMillis() + 500, TimeUnit.MILLISECONDS);
                          }
                          for (InboxMessage<Orders.Order> message : messages) {
                            book(message, tx);
                          }
                        })));
    awaitCommitted(104);

    assertThat(rows("select count(*) from ledger")).isEqualTo(104);
    assertThat(log.complainsOf("set idleInTransactionTimeout")).isTrue();
  }

  @Test
  void oneRecordThatTakesTooLongNamesItselfAndTheSetting() throws Exception {
    send(3);

    start(
        impatient()
            .subscribe(
                json(
                    topic,
                    (message, tx) -> {
                      if (message.offset() == 1) {
                        never().await(IDLE.toMillis() + 500, TimeUnit.MILLISECONDS);
                      }
                      book(message, tx);
                    })));

    await().atMost(SOON).until(() -> log.complainsOf(topic + "-0@1"));
    assertThat(log.complainsOf("2000 ms without a statement")).isTrue();
    assertThat(log.complainsOf("set idleInTransactionTimeout")).isTrue();
    await().atMost(SOON).until(() -> committed(0) == 1);
  }

  @Test
  void aRecordMayTakeAsLongAsTheSettingAllows() throws Exception {
    send(1);

    start(
        impatient()
            .idleInTransactionTimeout(IDLE.multipliedBy(4))
            .subscribe(
                json(
                    topic,
                    (message, tx) -> {
                      never().await(IDLE.toMillis() + 500, TimeUnit.MILLISECONDS);
                      book(message, tx);
                    })));

    awaitCommitted(1);
    assertThat(handled).hasSize(1);
  }

  /** C02: the poll goes on while the handler works, so Kafka has no reason to give it away. */
  @Test
  void aHandlerMayTakeLongerThanThePollInterval() throws Exception {
    for (int i = 0; i < 20; i++) {
      orders.send(topic, 1, "n" + i, "other" + i);
    }
    send(2);
    AtomicLong took = new AtomicLong();

    start(
        builder()
            .kafka(Map.of("max.poll.interval.ms", "6000"))
            .subscribe(
                json(
                    topic,
                    (message, tx) -> {
                      if (message.partition() == 0 && message.offset() == 0) {
                        long begun = System.nanoTime();
                        never().await(10, TimeUnit.SECONDS);
                        took.set(System.nanoTime() - begun);
                      }
                      book(message, tx);
                    })));
    await().atMost(SOON).until(() -> committed(1) == 20);
    assertThat(handled).as("the neighbours do not wait").doesNotContain("o0");
    awaitCommitted(22);

    assertThat(took.get()).isGreaterThan(TimeUnit.SECONDS.toNanos(9));
    assertThat(handled).as("each once").hasSize(22);
    assertThat(log.lines(Level.INFO)).filteredOn(line -> line.startsWith("Assigned")).hasSize(1);
    assertThat(log.complainsOf("Lost: ")).isFalse();
    assertThat(log.lines(Level.INFO)).noneMatch(line -> line.startsWith("Revoked"));
  }

  /** C07: the record that runs is finished and committed with those before it; none begins. */
  @Test
  void closeInTheMiddleOfABatchCommitsWhatItHasHandledAndBeginsNoFurtherRecord() throws Exception {
    send(60);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch mayFinish = new CountDownLatch(1);
    InboxConsumer consumer =
        started(
            (message, tx) -> {
              if (message.offset() == 42) {
                running.countDown();
                mayFinish.await();
              }
              book(message, tx);
            });
    assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();

    Thread closing = new Thread(consumer::close);
    closing.start();
    await().atMost(SOON).until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    mayFinish.countDown();
    closing.join(TimeUnit.SECONDS.toMillis(30));

    assertThat(committed(0)).isEqualTo(43);
    assertThat(rows("select count(*) from idembox.inbox")).isEqualTo(43);
    assertThat(handled).hasSize(43);

    started(this::book);
    awaitCommitted(60);
    assertThat(handled).as("no record is handled twice").hasSize(60).doesNotHaveDuplicates();
  }

  @Test
  void theServersTimeoutMustLeaveRoomForAnEffect() {
    InboxConsumerBuilder settings =
        builder()
            .effectTimeout(Duration.ofSeconds(90))
            .idleInTransactionTimeout(Duration.ofSeconds(60))
            .subscribe(json(topic, Orders::book));

    assertThatIllegalArgumentException()
        .isThrownBy(settings::build)
        .withMessageContaining("idleInTransactionTimeout PT1M")
        .withMessageContaining("effectTimeout PT1M30S");
  }

  @Test
  void aDrainThatKafkaWouldNotWaitForIsRefused() {
    InboxConsumerBuilder settings =
        builder()
            .kafka(Map.of("max.poll.interval.ms", "30000"))
            .drainBudget(Duration.ofSeconds(30))
            .subscribe(json(topic, Orders::book));

    assertThatIllegalArgumentException()
        .isThrownBy(settings::build)
        .withMessageContaining("drainBudget")
        .withMessageContaining("max.poll.interval.ms, 30000 ms");
  }

  @Test
  void theDrainBudgetFollowsAShortPollIntervalByItself() {
    builder()
        .kafka(Map.of("max.poll.interval.ms", "6000"))
        .subscribe(json(topic, Orders::book))
        .build();
  }

  private void send(int records) throws Exception {
    for (int i = 0; i < records; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();
  }

  private InboxConsumerBuilder impatient() {
    return builder().effectTimeout(Duration.ofSeconds(1)).idleInTransactionTimeout(IDLE);
  }

  private void slowly(InboxMessage<Orders.Order> message, InboxTransaction tx) throws Exception {
    never().await(300, TimeUnit.MILLISECONDS);
    book(message, tx);
  }

  private void book(InboxMessage<Orders.Order> message, InboxTransaction tx) {
    handled.add(message.value().id());
    Orders.book(message, tx);
  }

  private static CountDownLatch never() {
    return new CountDownLatch(1);
  }
}
