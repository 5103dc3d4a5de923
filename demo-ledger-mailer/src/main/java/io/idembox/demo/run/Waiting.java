package io.idembox.demo.run;

import io.idembox.demo.run.StopSignal.StoppedException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Waits for what a run needs before it goes on. */
final class Waiting {

  // Longer than any step takes on a busy machine; a run that hangs has to end.
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final long POLL_MS = 100;

  private final StopSignal stop;

  Waiting(StopSignal stop) {
    this.stop = stop;
  }

  /** Something to wait for. */
  interface Goal {

    /** What is still missing, in words; empty once the goal is reached. */
    Optional<String> missing()
        throws DemoFailure, StoppedException, InterruptedException, SQLException;
  }

  /**
   * Waits.
   *
   * @throws DemoFailure if the goal is not reached in time, saying what is missing
   * @throws StoppedException if the run is to end
   */
  void until(Goal goal) throws DemoFailure, StoppedException, InterruptedException, SQLException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      Optional<String> missing = goal.missing();
      if (missing.isEmpty()) {
        return;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new DemoFailure(
            "nothing more came of it in " + LIMIT.toSeconds() + " s: " + missing.get());
      }
      stop.pause(POLL_MS);
    }
  }

  /** Waits while the consumer works; fails at once if it ends by itself. */
  void until(Goal goal, ConsumerProcess consumer)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    until(
        () -> {
          consumer.requireRunning();
          return goal.missing();
        });
  }
}
