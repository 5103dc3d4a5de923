package io.idembox.runtime;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker threads. A lane is worked by one of them at a time, a batch at a time; after each
 * batch it goes to the end of the line, so that partitions get equal turns.
 */
final class LanePool {
  private static final Logger log = LoggerFactory.getLogger(LanePool.class);

  private final BatchRunner batches;
  private final FailurePolicy failures;
  private final ExecutorService workers;
  private final ScheduledExecutorService pauses;

  LanePool(String consumer, int threads, BatchRunner batches, FailurePolicy failures) {
    this.batches = batches;
    this.failures = failures;
    this.workers = Executors.newFixedThreadPool(threads, named(consumer + "-lane-"));
    this.pauses = Executors.newSingleThreadScheduledExecutor(named(consumer + "-pauses-"));
  }

  /** Sends a worker to the lane if it has records and nobody works on it. */
  void wake(PartitionLane lane) {
    if (lane.tryStart()) {
      workers.execute(() -> work(lane));
    }
  }

  private void work(PartitionLane lane) {
    List<FetchedRecord> batch = lane.nextBatch();
    if (batch.isEmpty()) {
      return;
    }
    Duration pause = Duration.ZERO;
    try {
      lane.finish(batch, batches.run(lane, batch));
    } catch (AssignmentEndedException e) {
      log.info("{}; it was rolled back and belongs to the partition's new owner", e.getMessage());
    } catch (Throwable e) {
      // The edge of the worker's loop. Errors too: a handler that overflows its stack must not end
      // the thread and leave a consumer that looks alive and reads nothing.
      pause = failures.pauseAfter(lane, batch, e);
    }
    if (pause.isZero()) {
      workers.execute(() -> work(lane));
    } else {
      lane.pause();
      // Nobody waits for the resumption, and it cannot fail: it only hands the lane to a worker.
      ScheduledFuture<?> unused =
          pauses.schedule(() -> resume(lane), pause.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void resume(PartitionLane lane) {
    if (lane.tryResume()) {
      workers.execute(() -> work(lane));
    }
  }

  /** Ends the threads. Batches that run are not interrupted: the process may be about to end. */
  void close() {
    pauses.shutdownNow();
    workers.shutdown();
  }

  static ThreadFactory named(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
