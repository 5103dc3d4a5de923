package io.idembox.runtime;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records that are handled one after the other: those of a partition, or of a key in it. Guarded by
 * the lock of the {@link PartitionWork} that it belongs to.
 *
 * <p>Records stay in the queue until their batch is finished, so what failed is at the head again.
 */
final class Lane {
  /** Who has the lane. */
  enum State {
    /** It has no records. */
    EMPTY,
    /** It waits for a worker. */
    READY,
    /** A worker has it. */
    RUNNING,
    /** It waits for the end of a pause. */
    PAUSED
  }

  private final Object name;
  private final ArrayDeque<FetchedRecord> queue = new ArrayDeque<>();
  private final BatchSize batchSize;
  State state = State.EMPTY;
  private boolean alone;
  private int failures;
  private @Nullable Stall stall;
  private @Nullable Outages outages;

  Lane(Object name, BatchSize batchSize) {
    this.name = name;
    this.batchSize = batchSize;
  }

  /** What tells it from the partition's other lanes: the key, or a number. */
  Object name() {
    return name;
  }

  void add(FetchedRecord fetched) {
    queue.add(fetched);
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  Optional<FetchedRecord> first() {
    return Optional.ofNullable(queue.peek());
  }

  /** Whether it must not share a batch: something in it failed, and it is not known yet what. */
  boolean isAlone() {
    return alone;
  }

  /** Copies records from its head into a batch; returns how many. */
  int copyTo(List<FetchedRecord> batch, int most, long mostBytes) {
    int taken = 0;
    long bytes = 0;
    int limit = Math.min(most, batchSize.limit());
    for (Iterator<FetchedRecord> waiting = queue.iterator();
        waiting.hasNext() && taken < limit && (taken == 0 || bytes < mostBytes); ) {
      FetchedRecord fetched = waiting.next();
      batch.add(fetched);
      bytes += fetched.size();
      taken++;
    }
    return taken;
  }

  /**
   * So many records of it were committed, and are gone from its head; none, if the batch ended
   * before it came to this lane.
   */
  void finish(int records) {
    if (records == 0) {
      return;
    }
    for (int i = 0; i < records; i++) {
      queue.remove();
    }
    failures = 0;
    stall = null;
    outages = null;
    alone = false;
  }

  /** It had a batch for itself, which took this long: its next one follows that pace. */
  void paceOf(int records, Duration transactionTook) {
    batchSize.committed(records, transactionTook);
  }

  /** The record at this index of its part is to blame. */
  void splitAt(int index) {
    alone = true;
    batchSize.failedAt(index);
  }

  /** Its part failed, and nobody knows through which record. */
  void split(int records) {
    alone = true;
    batchSize.failed(records);
  }

  /** It shared a batch that failed, and nobody knows through whom. */
  void separate() {
    alone = true;
  }

  /** Counts a failure that calls for a pause; returns how many there were in a row. */
  int fail(Stall.Reason reason, String detail) {
    failures++;
    stall = new Stall(reason, detail, stall == null ? Instant.now() : stall.since(), failures);
    return failures;
  }

  /** It waits, through no failure of its own. */
  void stalled(Stall.Reason reason, String detail) {
    stall = new Stall(reason, detail, stall == null ? Instant.now() : stall.since(), failures);
  }

  /**
   * Its first record, alone, met a failing server.
   *
   * @param successes of all lanes, until now
   * @return what is known about that record
   */
  Outages outageOfFirst(long successes) {
    outages =
        outages == null
            ? new Outages(1, successes)
            : new Outages(outages.times() + 1, outages.successesBefore());
    return outages;
  }

  /**
   * How often one record met a failing server.
   *
   * @param successesBefore of all lanes, before the first time
   */
  record Outages(int times, long successesBefore) {}

  Optional<Stall> stall() {
    return Optional.ofNullable(stall);
  }
}
