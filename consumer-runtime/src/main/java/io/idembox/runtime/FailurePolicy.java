package io.idembox.runtime;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides what a failed batch means: split it, or pause before the next attempt, and say so. */
final class FailurePolicy {
  private static final Logger log = LoggerFactory.getLogger(FailurePolicy.class);
  private static final Duration AT_ONCE = Duration.ZERO;
  private static final int WORTH_A_LINE = 8;
  private static final Backoff MOMENT = new Backoff(Duration.ofMillis(20), Duration.ofMillis(500));

  private final Backoff recordBackoff;
  private final Backoff outageBackoff;
  private final ConsumerMetrics metrics;

  FailurePolicy(Backoff recordBackoff, Backoff outageBackoff, ConsumerMetrics metrics) {
    this.recordBackoff = recordBackoff;
    this.outageBackoff = outageBackoff;
    this.metrics = metrics;
  }

  /**
   * Puts the batch's lanes back in a state in which they can go on.
   *
   * @return what to wait before they do; zero means go on at once
   */
  Duration pauseAfter(Batch batch, Throwable failure) {
    FailureClass blamed = FailureClassifier.classify(failure);
    metrics.failed(blamed);
    return switch (blamed) {
      case INFRASTRUCTURE -> outage(batch, failure);
      case CONTENTION -> moment(batch, failure);
      case CONFLICT -> {
        batch.work().split(batch);
        yield moment(batch, failure);
      }
      case RECORD -> blame(batch, failure);
    };
  }

  private static Duration moment(Batch batch, Throwable failure) {
    String detail = detail(batch, failure);
    int failures = batch.work().fail(batch, Stall.Reason.CONTENTION, detail);
    // Everyday contention ends after a moment and is not worth a line; one that does not is, at
    // longer and longer intervals.
    if (failures >= WORTH_A_LINE && Integer.bitCount(failures) == 1) {
      log.warn("In another's way {} times in a row, goes on trying: {}", failures, detail);
    }
    return MOMENT.after(failures);
  }

  private Duration outage(Batch batch, Throwable failure) {
    String detail = detail(batch, failure);
    if (batch.size() > 1 && Causes.has(failure, TransactionTimedOutException.class)) {
      // No server's fault: the batch was too much for one transaction.
      split(batch, failure);
      log.warn("Nothing was recorded, smaller batches follow at once: {}", detail);
      return AT_ONCE;
    }
    Duration pause = outageBackoff.after(batch.work().fail(batch, Stall.Reason.OUTAGE, detail));
    if (failure instanceof RecordFailedException known) {
      // A server that only this handler uses: what stands before the record need not wait for it.
      batch.work().splitAt(batch, known.index());
    }
    log.warn(
        "A server failed, nothing was recorded, next attempt in {} ms: {}",
        pause.toMillis(),
        detail);
    return pause;
  }

  private static void split(Batch batch, Throwable failure) {
    if (failure instanceof RecordFailedException known) {
      batch.work().splitAt(batch, known.index());
    } else {
      batch.work().split(batch);
    }
  }

  private Duration blame(Batch batch, Throwable failure) {
    if (batch.size() > 1) {
      split(batch, failure);
      return AT_ONCE;
    }
    String detail = detail(batch, failure);
    int failures = batch.work().fail(batch, Stall.Reason.RECORD_FAILING, detail);
    Duration pause = recordBackoff.after(failures);
    // The pause between two attempts bounds the rate of these lines.
    log.error(
        "Attempt {} failed, the record is kept and what is ordered behind it waits; next attempt in"
            + " {} ms: {}",
        failures,
        pause.toMillis(),
        detail);
    log.debug("{}: the failure in full", batch.nameOf(0), failure);
    return pause;
  }

  private static String detail(Batch batch, Throwable failure) {
    int known = failure instanceof RecordFailedException of ? of.index() : 0;
    return batch.nameOf(known) + ": " + Causes.summary(failure);
  }
}
