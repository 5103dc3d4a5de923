package io.idembox.runtime;

import java.time.Duration;
import java.util.List;
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

  /** What to wait before the lane's next batch; zero means go on at once. */
  Duration pauseAfter(PartitionLane lane, List<FetchedRecord> batch, Throwable failure) {
    return switch (FailureClassifier.classify(failure)) {
      case INFRASTRUCTURE -> outage(lane, batch, failure);
      case CONTENTION -> MOMENT.after(lane.countFailure());
      case CONFLICT -> {
        lane.split(batch.size());
        yield MOMENT.after(lane.countFailure());
      }
      case RECORD -> blame(lane, batch, failure);
    };
  }

  private Duration outage(PartitionLane lane, List<FetchedRecord> batch, Throwable failure) {
    Duration pause = outageBackoff.after(lane.countFailure());
    log.warn(
        "{}: a server failed, nothing was recorded, next attempt in {} ms: {}",
        Coordinates.of(batch.get(0).record()),
        pause.toMillis(),
        summary(failure));
    return pause;
  }

  private Duration blame(PartitionLane lane, List<FetchedRecord> batch, Throwable failure) {
    if (batch.size() > 1) {
      if (failure instanceof RecordFailedException known) {
        lane.splitAt(known.index());
      } else {
        lane.split(batch.size());
      }
      return AT_ONCE;
    }
    int failures = lane.countFailure();
    Duration pause = recordBackoff.after(failures);
    // The pause between two attempts bounds the rate of these lines.
    log.error(
        "{}: attempt {} failed, the record is kept and its partition waits; next attempt in {} ms:"
            + " {}",
        Coordinates.of(batch.get(0).record()),
        failures,
        pause.toMillis(),
        summary(failure));
    log.debug("{}: the failure in full", Coordinates.of(batch.get(0).record()), failure);
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
