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
  private final Brakes brakes;
  private final ExecutorService workers;
  private final ScheduledExecutorService pauses;

  LanePool(
      String consumer, int threads, BatchRunner batches, FailurePolicy failures, Brakes brakes) {
    this.batches = batches;
    this.failures = failures;
    this.brakes = brakes;
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
    Optional<Batch> next = work.nextBatch(brakes.mostRecords());
    if (next.isPresent()) {
      try {
        runOrWait(next.get());
      } finally {
        work.endTurn();
        wake(work);
      }
    }
  }

  private void runOrWait(Batch batch) {
    Optional<Brakes.Brake> brake = brakes.ask();
    if (brake.isPresent()) {
      batch.work().stalled(batch, brake.get().reason(), brake.get().detail());
      pause(batch, brake.get().pause());
    } else {
      run(batch);
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
      int known = e instanceof RecordFailedException of ? of.index() : 0;
      OutOfMemory.endsProcess(e, batch.nameOf(known));
      goOn(batch, judgement(batch, e));
    }
  }

  /** Whatever goes wrong in judging a failure, the batch's lanes must come back. */
  private AfterFailure judgement(Batch batch, Throwable failure) {
    try {
      return failures.judge(batch, failure);
    } catch (Throwable e) {
      log.error("{}: its failure could not be judged", batch.nameOf(0), e);
      return AfterFailure.pause(UNJUDGED);
    }
  }

  private void goOn(Batch batch, AfterFailure after) {
    if (after.finished()) {
      batch.work().giveUp(batch);
    } else if (after.pause().isZero()) {
      batch.work().giveBack(batch);
    } else {
      pause(batch, after.pause());
    }
  }

  private void pause(Batch batch, Duration pause) {
    PartitionWork work = batch.work();
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
