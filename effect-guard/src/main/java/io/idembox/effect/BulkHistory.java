package io.idembox.effect;

import java.time.Duration;

/**
 * What bulks of one effect were like of late: how long its runs took, and whether any were asked
 * for that had been done. Thread-safe; a figure that is lost between two threads does no harm, for
 * it only chooses between two right ways.
 */
final class BulkHistory {
  private static final long QUICK_NANOS = Duration.ofNanos(40_000).toNanos();
  private static final long UNKNOWN = Long.MAX_VALUE;
  // Of bulks that are new and known in turns, only one in so many is claimed in vain.
  private static final int LOOK_UPS_IN_VAIN = 8;

  private volatile long nanos = UNKNOWN;
  private volatile int inVain;

  /** Takes note of runs that were made one after the other. */
  void ran(int effects, long tookNanos) {
    long mean = tookNanos / effects;
    long before = nanos;
    nanos = before == UNKNOWN ? mean : (3 * before + mean) / 4;
  }

  /** Whether hundreds of them, by one thread, are over in ten milliseconds. Not before any ran. */
  boolean isQuick() {
    return nanos <= QUICK_NANOS;
  }

  /** Takes note of a look-up. */
  void lookedUp(boolean anySettled) {
    int before = inVain;
    inVain = anySettled ? 0 : Math.min(before + 1, LOOK_UPS_IN_VAIN);
  }

  /** Takes note of a claim that was in vain, or that the store did not answer. */
  void claimedInVain() {
    inVain = 0;
  }

  /**
   * Whether a look-up would find nothing: then the claims, which tell all the same, go without one.
   */
  boolean expectsNew() {
    return inVain >= LOOK_UPS_IN_VAIN;
  }
}
