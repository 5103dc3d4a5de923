package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.idembox.testkit.TestScope;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a failure does to its record, to its neighbours and to the log. */
class FailureTest extends ConsumerTestBase {
  FailureTest(TestScope scope) {
    super(scope);
  }

  /** Neither counts as an attempt, so nothing but the log tells why the partition stands. */
  @ParameterizedTest
  @ValueSource(strings = {"55P03", "40001"})
  void contentionThatDoesNotEndIsLogged(String state) throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();

    started(
        (message, tx) -> {
          throw new SQLException("in another's way", state);
        });

    await().atMost(SOON).until(() -> log.complainsOf(topic + "-0@0"));
  }

  @Test
  void aFailureIsOneBoundedLineWhateverItsMessageHolds() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    String message = "first\nsecond \u001b[31mred\n" + "x".repeat(100_000);

    started(
        (record, tx) -> {
          throw new IllegalStateException(message);
        });
    await().atMost(SOON).until(() -> log.complainsOf(topic + "-0@0"));

    assertThat(log.lines(Level.WARN))
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(1_000).doesNotContain("\n", "\u001b"));
  }

  @Test
  void whatCannotBeDecodedIsNamedWithoutItsContent() throws Exception {
    orders.sendRaw(topic, 0, "m0", "{\"id\": \"o0\", \"amount\": \"s3cret\"}");
    orders.sendRaw(topic, 1, "m1", "s3cret=1");
    orders.flush();

    started(Orders::book);
    await().atMost(SOON).until(() -> log.complainsOf(topic + "-0@0"));
    await().atMost(SOON).until(() -> log.complainsOf(topic + "-1@0"));

    assertThat(log.complainsOf("column")).as("says where in the value").isTrue();
    assertThat(log.lines(Level.INFO)).noneMatch(line -> line.contains("s3cret"));
  }

  @Test
  void aServerThatOnlyOneHandlerUsesIsBlamedOnItsRecordAndHoldsBackNoEarlierOne() throws Exception {
    for (int i = 0; i < 5; i++) {
      orders.send(topic, 0, "m" + i, "o" + i);
    }
    orders.flush();

    started(
        (message, tx) -> {
          if (message.offset() == 3) {
            throw new SQLException("my other database is away", "08006");
          }
          Orders.book(message, tx);
        });

    await().atMost(SOON).until(() -> committed(0) == 3);
    assertThat(log.complainsOf(topic + "-0@3")).isTrue();
  }

  @Test
  void anExceptionThatCannotBePrintedDoesNotStopItsPartition() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();
    AtomicInteger runs = new AtomicInteger();

    started(
        (message, tx) -> {
          if (runs.incrementAndGet() <= 2) {
            throw new UnprintableException();
          }
          Orders.book(message, tx);
        });

    awaitCommitted(1);
  }

  @Test
  void aListenerThatThrowsAnErrorHasNoOtherEffect() throws Exception {
    orders.send(topic, 0, "m0", "o0").flush();

    start(
        builder()
            .subscribe(json(topic, Orders::book))
            .listener(
                report -> {
                  throw new AssertionError("a listener's own fault");
                }));

    awaitCommitted(1);
  }

  /** C13: the position chosen at the first start holds, also for a partition without traffic. */
  @Test
  void latestDoesNotJumpWhatCameBetweenTwoStarts() throws Exception {
    try (InboxConsumer first = started(StartPosition.LATEST)) {
      await().atMost(SOON).until(() -> first.status().partitions().size() == 3);
      await()
          .atMost(SOON)
          .until(
              () ->
                  log.lines(Level.INFO).stream().filter(line -> line.contains("starts at")).count()
                      == 3);
    }
    orders.send(topic, 0, "m0", "o0").send(topic, 1, "m1", "o1").flush();

    started(StartPosition.LATEST);

    awaitCommitted(2);
    assertThat(rows("select count(*) from ledger")).isEqualTo(2);
  }

  @Test
  void aRefusedStartLeavesNoThread() {
    InboxConsumer consumer =
        builder()
            .kafka(Map.of("fetch.min.bytes", "lots"))
            .subscribe(json(topic, Orders::book))
            .build();

    assertThatExceptionOfType(StartRefusedException.class)
        .isThrownBy(consumer::start)
        .withMessageContaining("fetch.min.bytes");

    await().atMost(SOON).until(() -> threadsOf(group).isEmpty());
  }

  private InboxConsumer started(StartPosition position) {
    return start(builder().start(position).subscribe(json(topic, Orders::book)));
  }

  private static List<String> threadsOf(String consumer) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains(consumer))
        .toList();
  }

  private static final class UnprintableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new NullPointerException("a message that is put together too late");
    }
  }
}
