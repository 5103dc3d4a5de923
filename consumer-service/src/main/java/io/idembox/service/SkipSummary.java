package io.idembox.service;

import io.idembox.runtime.BatchReport;
import io.idembox.runtime.RunListener;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what is skipped: the first batch of a partition at once, then one line in ten seconds for
 * all that came meanwhile. A rewind of millions has thousands of batches. Thread-safe.
 */
final class SkipSummary implements RunListener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SkipSummary.class);
  private static final int QUIET_SECONDS = 10;

  private final Executor later;
  // One for each partition that was told of less than ten seconds ago.
  private final Map<String, Sum> untold = new HashMap<>();

  SkipSummary() {
    this(CompletableFuture.delayedExecutor(QUIET_SECONDS, TimeUnit.SECONDS));
  }

  /**
   * With a clock of its own.
   *
   * @param later runs something when the quiet time is over
   */
  SkipSummary(Executor later) {
    this.later = later;
  }

  private record Sum(long skipped, long delivered, long first, long last) {
    static final Sum NONE = new Sum(0, 0, Long.MAX_VALUE, -1);

    Sum plus(BatchReport report) {
      return new Sum(
          skipped + report.skipped(),
          delivered + report.delivered(),
          Math.min(first, report.firstOffset()),
          Math.max(last, report.lastOffset()));
    }
  }

  @Override
  public void onBatch(BatchReport report) {
    if (report.skipped() == 0) {
      return;
    }
    String partition = report.topic() + "-" + report.partition();
    synchronized (untold) {
      Sum before = untold.get(partition);
      untold.put(partition, before == null ? Sum.NONE : before.plus(report));
      if (before != null) {
        return;
      }
    }
    tell(partition, Sum.NONE.plus(report));
    later.execute(() -> goOn(partition));
  }

  private void goOn(String partition) {
    Sum sum;
    synchronized (untold) {
      sum = untold.remove(partition);
      if (sum == null || sum.skipped == 0) {
        return;
      }
      untold.put(partition, Sum.NONE);
    }
    tell(partition, sum);
    later.execute(() -> goOn(partition));
  }

  private static void tell(String partition, Sum sum) {
    log.info(
        "{}: {} of the {} records from offset {} to {} were done before and are skipped",
        partition,
        sum.skipped,
        sum.delivered,
        sum.first,
        sum.last);
  }

  /** What is not told yet. */
  @Override
  public void close() {
    Map<String, Sum> rest;
    synchronized (untold) {
      rest = Map.copyOf(untold);
      untold.clear();
    }
    rest.forEach(
        (partition, sum) -> {
          if (sum.skipped > 0) {
            tell(partition, sum);
          }
        });
  }
}
