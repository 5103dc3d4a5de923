package io.idembox.inbox.bench;

import java.util.Arrays;

/** Of many rounds: a machine that does something else at times spoils a mean. */
final class Stats {
  private Stats() {}

  static double median(long[] nanos) {
    return quantile(nanos, 0.5);
  }

  static double quantile(long[] nanos, double q) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.min(sorted.length - 1, Math.round(q * sorted.length))];
  }

  static double perSecond(int perRound, long[] nanos) {
    return perRound * 1e9 / median(nanos);
  }
}
