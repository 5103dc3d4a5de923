package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.idembox.runtime.BatchReport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A rewind of millions is a line now and then. */
final class SkipSummaryTest {
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(SkipSummary.class);
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final SkipSummary summary = new SkipSummary(later::add);

  @BeforeEach
  void listen() {
    appender.start();
    logger.addAppender(appender);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(appender);
  }

  @Test
  void theFirstBatchIsToldAtOnceAndAThousandMoreInOneLine() {
    for (int i = 0; i < 1_001; i++) {
      summary.onBatch(batch("orders", i * 10L, 7));
    }
    assertThat(lines())
        .containsExactly(
            "orders-0: 7 of the 10 records from offset 0 to 9 were done before and are skipped");

    later.remove().run();
    assertThat(lines())
        .hasSize(2)
        .last()
        .asString()
        .startsWith("orders-0: 7000 of the 10000 records from offset 10 to 10009");
  }

  @Test
  void afterAQuietTimeTheNextIsToldAtOnceAgain() {
    summary.onBatch(batch("orders", 0, 1));
    later.remove().run();
    assertThat(later).isEmpty();
    summary.onBatch(batch("orders", 10, 1));
    assertThat(lines()).hasSize(2);
  }

  @Test
  void eachPartitionHasItsOwnAndNothingIsLeftUntold() {
    summary.onBatch(batch("orders", 0, 1));
    summary.onBatch(batch("other", 0, 1));
    summary.onBatch(batch("orders", 10, 2));
    summary.onBatch(batch("orders", 20, 0));
    assertThat(lines()).hasSize(2);

    summary.close();
    assertThat(lines()).hasSize(3).last().asString().startsWith("orders-0: 2 of the 10 records");
  }

  private List<String> lines() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private static BatchReport batch(String topic, long first, int skipped) {
    return new BatchReport(topic, 0, first, first + 9, 10, 10 - skipped, 0, skipped);
  }
}
