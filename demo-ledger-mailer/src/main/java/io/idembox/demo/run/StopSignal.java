package io.idembox.demo.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The user's wish that a run should end early. Not a thread's interrupt: servers that start or stop
 * just then would take it for theirs and be left half way. Thread-safe.
 */
final class StopSignal {
  private final CountDownLatch requested = new CountDownLatch(1);

  /** A run was given up because the user wished it. */
  static final class StoppedException extends Exception {
    private static final long serialVersionUID = 1L;
  }

  void request() {
    requested.countDown();
  }

  boolean isRequested() {
    return requested.getCount() == 0;
  }

  /** Returns after this time, or throws at once when the run is to end. */
  void pause(long millis) throws StoppedException, InterruptedException {
    if (requested.await(millis, TimeUnit.MILLISECONDS)) {
      throw new StoppedException();
    }
  }
}
