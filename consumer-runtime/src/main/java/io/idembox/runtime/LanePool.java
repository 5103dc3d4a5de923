package io.idembox.runtime;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker threads. A turn is one batch; after it the worker goes to the end of the line, so that
 * partitions get equal shares.
 */
final class LanePool implements PollLoop.Workers {
  private static final Logger log = LoggerFactory.getLogger(LanePool.class);

  private static final Duration UNJUDGED = Duration.ofSeconds(1);

  private final BatchRunner batches;
  private final FailurePolicy failures;
  private final ExecutorService workers;
  private final ScheduledExecutorService pauses;

  LanePool(String consumer, int threads, BatchRunner batches, FailurePolicy failures) {
    this.batches = batches;
    this.failures = failures;
    this.workers = Executors.newFixedThreadPool(threads, Threads.workers(consumer + "-lane-"));
    this.pauses =
        Executors.newSingleThreadScheduledExecutor(Threads.platform(consumer + "-pauses-"));
  }

  /** Sends as many workers as the partition has work for and its ordering allows. */
  @Override
  public void wake(PartitionWork work) {
    while (work.tryStartTurn()) {
      workers.execute(() -> turn(work));
    }
  }

  private void turn(PartitionWork work) {
    Optional<Batch> next = work.nextBatch();
    if (next.isPresent()) {
      try {
        run(next.get());
      } finally {
        work.endTurn();
        wake(work);
      }
    }
  }

  private void run(Batch batch) {
    try {
      BatchRunner.Ran ran = batches.run(batch);
      batch.work().finish(batch, ran.covered(), ran.took());
    } catch (AssignmentEndedException e) {
      log.info("{}; it was rolled back and belongs to the partition's new owner", e.getMessage());
    } catch (Throwable e) {
      // The edge of the worker's loop. Errors too: a handler that overflows its stack must not end
      // the thread and leave a consumer that looks alive and reads nothing.
      pause(batch, pauseAfter(batch, e));
    }
  }

  /** Whatever goes wrong in judging a failure, the batch's lanes must come back. */
  private Duration pauseAfter(Batch batch, Throwable failure) {
    try {
      return failures.pauseAfter(batch, failure);
    } catch (Throwable e) {
      log.error("{}: its failure could not be judged", batch.nameOf(0), e);
      return UNJUDGED;
    }
  }

  private void pause(Batch batch, Duration pause) {
    PartitionWork work = batch.work();
    if (pause.isZero()) {
      work.giveBack(batch);
      return;
    }
    work.pause(batch);
    // Nobody waits for the end of the pause, and it cannot fail: it only hands out turns.
    ScheduledFuture<?> unused =
        pauses.schedule(
            () -> {
              work.giveBack(batch);
              wake(work);
            },
            pause.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  /** Ends the threads. Batches that run are not interrupted: the process may be about to end. */
  void close() {
    pauses.shutdownNow();
    workers.shutdown();
  }
}
