package io.idembox.runtime;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides what a failed batch means: split it, or pause before the next attempt, and say so. */
final class FailurePolicy {
  private static final Logger log = LoggerFactory.getLogger(FailurePolicy.class);
  private static final Duration AT_ONCE = Duration.ZERO;
  private static final Backoff MOMENT = new Backoff(Duration.ofMillis(20), Duration.ofMillis(500));

  private final Backoff recordBackoff;
  private final Backoff outageBackoff;

  FailurePolicy(Backoff recordBackoff, Backoff outageBackoff) {
    this.recordBackoff = recordBackoff;
    this.outageBackoff = outageBackoff;
  }

  /**
   * Puts the batch's lanes back in a state in which they can go on.
   *
   * @return what to wait before they do; zero means go on at once
   */
  Duration pauseAfter(Batch batch, Throwable failure) {
    return switch (FailureClassifier.classify(failure)) {
      case INFRASTRUCTURE -> outage(batch, failure);
      case CONTENTION -> MOMENT.after(batch.work().countFailure(batch));
      case CONFLICT -> {
        Duration moment = MOMENT.after(batch.work().countFailure(batch));
        batch.work().split(batch);
        yield moment;
      }
      case RECORD -> blame(batch, failure);
    };
  }

  private Duration outage(Batch batch, Throwable failure) {
    Duration pause = outageBackoff.after(batch.work().countFailure(batch));
    log.warn(
        "{}: a server failed, nothing was recorded, next attempt in {} ms: {}",
        batch.nameOf(0),
        pause.toMillis(),
        summary(failure));
    return pause;
  }

  private Duration blame(Batch batch, Throwable failure) {
    if (batch.size() > 1) {
      if (failure instanceof RecordFailedException known) {
        batch.work().splitAt(batch, known.index());
      } else {
        batch.work().split(batch);
      }
      return AT_ONCE;
    }
    int failures = batch.work().countFailure(batch);
    Duration pause = recordBackoff.after(failures);
    // The pause between two attempts bounds the rate of these lines.
    log.error(
        "{}: attempt {} failed, the record is kept and what is ordered behind it waits; next attempt"
            + " in {} ms: {}",
        batch.nameOf(0),
        failures,
        pause.toMillis(),
        summary(failure));
    log.debug("{}: the failure in full", batch.nameOf(0), failure);
    return pause;
  }

  /** The root cause first, since wrappers say little. */
  static String summary(Throwable failure) {
    Throwable root = Causes.root(failure);
    if (root == failure || failure instanceof RecordFailedException) {
      return root.toString();
    }
    String message = String.valueOf(failure.getMessage());
    return message.contains(String.valueOf(root.getMessage())) ? message : message + ": " + root;
  }
}
