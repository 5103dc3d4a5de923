package io.idembox.runtime;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Wakes one thread that waits for something to do. A ring before the wait is not lost. */
final class Bell {
  private boolean rung;

  synchronized void ring() {
    rung = true;
    notifyAll();
  }

  /** Waits for a ring, and forgets it; or until the time is up. */
  synchronized void await(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    for (long left = limit.toNanos(); !rung && left > 0; left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
    }
    rung = false;
  }
}
