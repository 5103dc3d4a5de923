package io.idembox.runtime;

import java.time.Duration;

/** The one end of everything that a shutdown waits for; it can be brought forward. Thread-safe. */
final class Deadline {
  private volatile long end;

  private Deadline(long end) {
    this.end = end;
  }

  static Deadline in(Duration budget) {
    return new Deadline(System.nanoTime() + budget.toNanos());
  }

  /** Not later than in so much time. */
  synchronized void bringForward(Duration atMost) {
    long earlier = System.nanoTime() + atMost.toNanos();
    if (earlier - end < 0) {
      end = earlier;
    }
  }

  /** What is left; zero when it is over. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  /** What is left, but no more than a part after which it is worth looking again. */
  Duration part() {
    Duration left = left();
    Duration part = Duration.ofMillis(100);
    return left.compareTo(part) < 0 ? left : part;
  }
}
