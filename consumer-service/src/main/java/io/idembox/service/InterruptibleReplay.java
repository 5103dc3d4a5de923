package io.idembox.service;

import io.idembox.runtime.Replay;
import io.idembox.runtime.ReplayPlan;
import io.idembox.runtime.ReplayReport;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * A replay or a rebuild that Ctrl-C and SIGTERM stop cleanly: what runs is finished, and the
 * process lives until its report is printed.
 */
final class InterruptibleReplay {
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final Console console;
  private final Settings settings;
  private final CountDownLatch reported = new CountDownLatch(1);

  InterruptibleReplay(Console console, Settings settings) {
    this.console = console;
    this.settings = settings;
  }

  /** Runs it, with its progress on standard error. */
  ReplayReport run(Replay replay, ReplayPlan plan) throws InterruptedException {
    Duration budget = settings.get(Options.SHUTDOWN_BUDGET).plus(MARGIN);
    Thread onExit =
        new Thread(
            () -> {
              replay.cancel();
              try {
                replay.awaitEnd(budget);
                reported.await(2, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "idembox-cancel");
    Runtime.getRuntime().addShutdownHook(onExit);
    try (ReplayProgress progress = new ReplayProgress(console, plan)) {
      return replay.run(progress);
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(onExit);
      } catch (IllegalStateException e) {
        // The process is ending, and waits for the report a moment longer.
        LoggerFactory.getLogger(InterruptibleReplay.class).debug("Stopped by a signal");
      }
    }
  }

  /** The report is printed: the process may end. */
  void reported() {
    reported.countDown();
  }
}
