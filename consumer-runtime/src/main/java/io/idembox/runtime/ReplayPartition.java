package io.idembox.runtime;

import io.idembox.inbox.OffsetRanges;
import java.util.concurrent.atomic.LongAdder;

/** One partition of a replay: what is read of it, and what came of that. */
final class ReplayPartition {
  private final ReplayRange range;
  private final PartitionWork work;
  private final OffsetRanges done;
  private final int knownEpoch;
  private final LongAdder read = new LongAdder();
  private final LongAdder skipped = new LongAdder();
  private final LongAdder handled = new LongAdder();
  private final LongAdder ignored = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private volatile long position;

  /**
   * A partition at the start of its range.
   *
   * @param done as the database has it; its records are not looked at
   * @param knownEpoch the highest leader epoch that the done ranges know; records of a later one
   *     are not taken for done by their offsets
   */
  ReplayPartition(ReplayRange range, PartitionWork work, OffsetRanges done, int knownEpoch) {
    this.range = range;
    this.work = work;
    this.done = done;
    this.knownEpoch = knownEpoch;
    this.position = range.from();
  }

  ReplayRange range() {
    return range;
  }

  PartitionWork work() {
    return work;
  }

  /** Where reading stands. */
  long position() {
    return position;
  }

  boolean isRead() {
    return position >= range.to();
  }

  /** Read, and nothing waits or runs. */
  boolean isFinished() {
    return isRead() && work.status().queuedRecords() == 0;
  }

  /** Whether the record is known to be done by its offset alone. */
  boolean isDone(FetchedRecord record) {
    int epoch = record.leaderEpoch();
    return epoch >= 0 && epoch <= knownEpoch && done.contains(record.offset());
  }

  void readTo(long next, int records) {
    read.add(records);
    position = Math.min(next, range.to());
  }

  void skipped(long records) {
    skipped.add(records);
  }

  void handled(long records) {
    handled.add(records);
  }

  void dead(long records) {
    dead.add(records);
  }

  void add(BatchReport report) {
    skipped.add(report.skipped());
    handled.add(report.handled());
    ignored.add(report.ignored());
  }

  /** How it stands; dead letters are what is finished and neither of the others. */
  ReplayReport.Partition report(boolean dryRun) {
    PartitionStatus status = work.status();
    long settled = read.sum() - status.queuedRecords();
    long others = skipped.sum() + handled.sum() + ignored.sum();
    long next =
        status.queuedRecords() == 0
            ? position
            : Math.min(position, status.finishedOffset().orElse(range.from()));
    return new ReplayReport.Partition(
        range,
        next,
        read.sum(),
        skipped.sum(),
        handled.sum(),
        ignored.sum(),
        dryRun ? dead.sum() : Math.max(0, settled - others));
  }
}
