package io.idembox.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The one place where the test kit waits by the clock: for processes, which cannot tell us that
 * they are ready.
 */
final class Pause {
  private Pause() {}

  static void millis(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("Interrupted while waiting", e);
    }
  }

  /** Polls until the condition holds; false when the limit has passed first. */
  static boolean until(Duration limit, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      millis(10);
    }
    return true;
  }
}
