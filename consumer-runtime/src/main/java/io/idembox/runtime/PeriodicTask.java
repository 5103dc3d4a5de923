package io.idembox.runtime;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does something again and again on a thread of its own, with a pause between the end of one run
 * and the beginning of the next. A run that fails is logged, once in a row, and does not end it.
 */
final class PeriodicTask {
  private static final Logger log = LoggerFactory.getLogger(PeriodicTask.class);

  private final String name;
  private final Runnable task;
  private final ScheduledExecutorService thread;
  private @Nullable ScheduledFuture<?> schedule;
  private int failuresInARow;

  PeriodicTask(String name, Runnable task) {
    this.name = name;
    this.task = task;
    this.thread = Executors.newSingleThreadScheduledExecutor(Threads.platform(name + "-"));
  }

  void start(Duration first, Duration pause) {
    schedule =
        thread.scheduleWithFixedDelay(
            this::run, first.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void run() {
    try {
      task.run();
      failuresInARow = 0;
    } catch (Throwable e) {
      OutOfMemory.endsProcess(e, name);
      // The edge of the loop: an outage, or an Error of an effect, must not end it, nor fill the
      // log while it lasts.
      if (failuresInARow++ == 0) {
        log.warn("{} failed and goes on trying: {}", name, Causes.summary(e));
      }
    }
  }

  /** Starts no further run, and waits for one that is under way. */
  void close(Duration limit) {
    if (schedule != null) {
      schedule.cancel(false);
    }
    thread.shutdown();
    try {
      if (!thread.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        log.warn("{} did not end within {} ms", name, limit.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
