package io.idembox.runtime;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Pauses that double from {@code first} up to {@code most}, each moved by up to a fifth either way,
 * so that what failed together does not come back together.
 */
record Backoff(Duration first, Duration most) {
  private static final int MOST_DOUBLINGS = 30;
  private static final double JITTER = 0.2;

  Backoff {
    if (first.isNegative() || first.isZero() || first.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "A backoff needs 0 < first <= most; given first " + first + ", most " + most);
    }
  }

  /**
   * The pause after a number of failures in a row.
   *
   * @param failures at least 1
   */
  Duration after(int failures) {
    double doubled = first.toNanos() * Math.pow(2, Math.min(failures - 1, MOST_DOUBLINGS));
    double jitter = ThreadLocalRandom.current().nextDouble(1 - JITTER, 1 + JITTER);
    return Duration.ofNanos((long) (Math.min(doubled, (double) most.toNanos()) * jitter));
  }
}
