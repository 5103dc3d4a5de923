package io.idembox.runtime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One partition during one assignment: the records that wait, and the offset up to which the work
 * is finished.
 *
 * <p>The poll thread hands records in and reads what may be committed; one worker at a time takes
 * batches. Records stay in the queue until their batch is finished, so a batch that failed is at
 * its head again. When the assignment ends this object ends with it, and what a late worker says to
 * it has no effect: the same partition assigned again is another lane.
 */
final class PartitionLane {
  private enum Work {
    IDLE,
    RUNNING,
    PAUSED
  }

  private final TopicPartition partition;
  private final LaneLimits limits;
  private final ArrayDeque<FetchedRecord> queue = new ArrayDeque<>();
  private final BatchSize batchSize;
  private long queuedBytes;
  private @Nullable OffsetAndMetadata polled;
  private @Nullable OffsetAndMetadata finished;
  private Work work = Work.IDLE;
  private boolean open = true;
  private int failures;
  private volatile boolean ended;

  PartitionLane(TopicPartition partition, LaneLimits limits) {
    this.partition = partition;
    this.limits = limits;
    this.batchSize = new BatchSize(limits.batchRecords(), limits.transactionTarget());
  }

  TopicPartition partition() {
    return partition;
  }

  /** Takes fetched records in; {@code next} is the position behind them, gaps included. */
  synchronized void offer(List<FetchedRecord> records, OffsetAndMetadata next) {
    queue.addAll(records);
    for (FetchedRecord fetched : records) {
      queuedBytes += sizeOf(fetched);
    }
    polled = next;
    if (queue.isEmpty()) {
      // Only markers or aborted records were read: there is nothing to wait for.
      finished = next;
    }
  }

  /** Whether no more records should be fetched for now. */
  synchronized boolean isFull() {
    return queue.size() >= limits.queuedRecords() || queuedBytes >= limits.queuedBytes();
  }

  /** Whether a worker should be sent; if so, the lane counts as running from now on. */
  synchronized boolean tryStart() {
    if (work != Work.IDLE || !open || queue.isEmpty()) {
      return false;
    }
    work = Work.RUNNING;
    return true;
  }

  /** Ends a pause; true if a worker should be sent. */
  synchronized boolean tryResume() {
    if (work != Work.PAUSED) {
      return false;
    }
    work = Work.IDLE;
    return tryStart();
  }

  /**
   * The next batch for the worker that runs this lane. Empty means that there is nothing to do: the
   * lane is idle and the worker must let go of it.
   */
  synchronized List<FetchedRecord> nextBatch() {
    if (!open || queue.isEmpty()) {
      becomeIdle(Work.IDLE);
      return List.of();
    }
    List<FetchedRecord> batch = new ArrayList<>(Math.min(batchSize.limit(), queue.size()));
    long bytes = 0;
    for (Iterator<FetchedRecord> waiting = queue.iterator();
        waiting.hasNext() && batch.size() < batchSize.limit() && bytes < limits.batchBytes(); ) {
      FetchedRecord fetched = waiting.next();
      batch.add(fetched);
      bytes += sizeOf(fetched);
    }
    return batch;
  }

  /** The batch was committed, and each of its effects is settled or owed by the journal. */
  synchronized void finish(List<FetchedRecord> batch, Duration transactionTook) {
    if (ended) {
      return;
    }
    failures = 0;
    batchSize.committed(batch.size(), transactionTook);
    for (FetchedRecord fetched : batch) {
      queue.remove();
      queuedBytes -= sizeOf(fetched);
    }
    FetchedRecord last = batch.get(batch.size() - 1);
    finished =
        queue.isEmpty()
            ? polled
            : new OffsetAndMetadata(last.offset() + 1, last.record().leaderEpoch(), "");
  }

  /** The batch failed through one known record: the next one ends before it. */
  synchronized void splitAt(int index) {
    batchSize.failedAt(index);
  }

  /** The batch failed and nobody knows through which record: the next one is half as long. */
  synchronized void split(int records) {
    batchSize.failed(records);
  }

  /** Counts a failure that calls for a pause. Returns how many there were in a row. */
  synchronized int countFailure() {
    return ++failures;
  }

  /** Lets go of the lane until {@link #tryResume()}. */
  synchronized void pause() {
    becomeIdle(Work.PAUSED);
  }

  /** No further batch starts. A batch that runs may finish. */
  synchronized void stop() {
    open = false;
    notifyAll();
  }

  /** Waits until no batch runs. Returns false if one still does when the time is up. */
  synchronized boolean awaitIdle(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (work == Work.RUNNING) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
    }
    return true;
  }

  /** The assignment is over: nothing that still runs may commit, here or in Kafka. */
  synchronized void end() {
    open = false;
    ended = true;
    queue.clear();
    queuedBytes = 0;
  }

  boolean hasEnded() {
    return ended;
  }

  /** What may be committed, if anything was finished in this assignment. */
  synchronized Optional<OffsetAndMetadata> finished() {
    return ended ? Optional.empty() : Optional.ofNullable(finished);
  }

  /** Whether everything that was fetched is finished. */
  synchronized boolean isDrained() {
    return queue.isEmpty();
  }

  /** The first record that is not finished, for the log. */
  synchronized Optional<FetchedRecord> head() {
    return Optional.ofNullable(queue.peek());
  }

  private void becomeIdle(Work now) {
    work = now;
    notifyAll();
  }

  private static long sizeOf(FetchedRecord fetched) {
    return Math.max(0, fetched.record().serializedKeySize())
        + (long) Math.max(0, fetched.record().serializedValueSize());
  }
}
