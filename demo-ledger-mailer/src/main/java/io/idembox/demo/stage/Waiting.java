package io.idembox.demo.stage;

import io.idembox.demo.stage.StopSignal.StoppedException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Waits for what a run needs before it goes on. */
public final class Waiting {

  // Longer than any step takes on a busy machine; a run that hangs has to end.
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final long POLL_MS = 100;

  private final StopSignal stop;

  /** Waits that end when the run is to stop. */
  public Waiting(StopSignal stop) {
    this.stop = stop;
  }

  /** Something to wait for. */
  public interface Goal {

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
  public void until(Goal goal)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
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

  /** Waits while a process works; fails at once if it ends by itself. */
  public void until(Goal goal, WorkerProcess worker)
      throws DemoFailure, StoppedException, InterruptedException, SQLException {
    until(
        () -> {
          worker.requireRunning();
          return goal.missing();
        });
  }
}
