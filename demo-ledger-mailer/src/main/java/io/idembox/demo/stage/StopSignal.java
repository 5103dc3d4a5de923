package io.idembox.demo.stage;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The user's wish that a run should end early. Not a thread's interrupt: servers that start or stop
 * just then would take it for theirs and be left half way. Thread-safe.
 */
public final class StopSignal {
  private final CountDownLatch requested = new CountDownLatch(1);

  /** A run was given up because the user wished it. */
  public static final class StoppedException extends Exception {
    private static final long serialVersionUID = 1L;
  }

  /** Asks the run to end. */
  public void request() {
    requested.countDown();
  }

  /** Whether it was asked to. */
  public boolean isRequested() {
    return requested.getCount() == 0;
  }

  /** Returns after this time, or throws at once when the run is to end. */
  public void pause(long millis) throws StoppedException, InterruptedException {
    if (requested.await(millis, TimeUnit.MILLISECONDS)) {
      throw new StoppedException();
    }
  }
}
