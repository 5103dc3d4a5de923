package io.idembox.runtime;

import java.time.Duration;

/**
 * How many records the next batch may hold. Follows the handler's pace, and finds the record at
 * fault: a failed batch is cut before its culprit where that is known, and halved where it is not,
 * until the culprit stands alone. Not thread-safe; a partition owns one, and each of its lanes.
 */
final class BatchSize {
  // Three steps to the usual largest batch. Transactions of a few records take almost no time, so a
  // fast handler loses nothing by them.
  private static final int FASTEST_GROWTH = 8;

  private final int most;
  private final Duration target;
  private int limit;

  /**
   * Begins where nothing is known of the records' pace.
   *
   * @param first how many the first batch may hold: a record that calls a slow server should hold
   *     its transaction open alone
   */
  BatchSize(int most, Duration target, int first) {
    this.most = most;
    this.target = target;
    this.limit = Math.min(most, first);
  }

  int limit() {
    return limit;
  }

  /** Records were committed: grow towards the target while transactions are short, else shrink. */
  void committed(int records, Duration took) {
    double share = (double) target.toNanos() / Math.max(1, took.toNanos());
    if (share < 1) {
      limit = Math.max(1, (int) (records * share));
    } else {
      long grown = (long) (records * Math.min(FASTEST_GROWTH, share));
      limit = (int) Math.min(most, Math.max(limit, grown));
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
