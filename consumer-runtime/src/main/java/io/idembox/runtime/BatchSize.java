package io.idembox.runtime;

import java.time.Duration;

/**
 * How many records the next batch of a lane may hold. Follows the handler's pace, and finds the
 * record at fault: a failed batch is cut before its culprit where that is known, and halved where
 * it is not, until the culprit stands alone. Not thread-safe; a lane owns one.
 */
final class BatchSize {
  // Until the handler's pace is known: doubles with each short transaction.
  private static final int CAUTIOUS = 64;

  private final int most;
  private final Duration target;
  private int limit;

  BatchSize(int most, Duration target) {
    this.most = most;
    this.target = target;
    this.limit = Math.min(most, CAUTIOUS);
  }

  int limit() {
    return limit;
  }

  /** A batch was committed: grow while transactions are short, shrink when they get long. */
  void committed(int records, Duration took) {
    if (took.compareTo(target) > 0) {
      double share = (double) target.toNanos() / took.toNanos();
      limit = Math.max(1, (int) (records * share));
    } else {
      limit = Math.min(most, Math.max(limit, records) * 2);
    }
  }

  /** A batch failed and the record at this index is to blame: the next batch ends before it. */
  void failedAt(int index) {
    limit = Math.max(1, index);
  }

  /** A batch of this size failed and nobody knows by whom. */
  void failed(int records) {
    limit = Math.max(1, records / 2);
  }
}
