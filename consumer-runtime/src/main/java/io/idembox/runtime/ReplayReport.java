package io.idembox.runtime;

import java.time.Duration;
import java.util.List;

/**
 * What a replay has come to, at its end or so far.
 *
 * @param cancelled it was stopped before its end
 * @param effectsPerformed effects that ran
 * @param effectsReplayed effects that had been completed before, so that only their receipts came
 * @param recordsInherited in a rebuild, records handled (in a dry run: that would be) that the
 *     other consumer had done
 * @param effectsInherited in a rebuild, effects written down as finished without being run
 */
public record ReplayReport(
    boolean dryRun,
    boolean cancelled,
    Duration elapsed,
    long effectsPerformed,
    long effectsReplayed,
    long recordsInherited,
    long effectsInherited,
    List<Partition> partitions) {
  /** The list is copied. */
  public ReplayReport {
    partitions = List.copyOf(partitions);
  }

  /**
   * One partition.
   *
   * @param next where to go on after a cancelled replay: everything below is settled. The end of
   *     the range when it is finished
   * @param read records of the range that were read
   * @param skipped of them, those that were done before
   * @param handled of them, those that were missing and are handled now; in a dry run, those that
   *     would be
   * @param ignored of them, those whose type is not listed
   * @param dead of them, those that are dead letters: given up now, or before and still open
   */
  public record Partition(
      ReplayRange range,
      long next,
      long read,
      long skipped,
      long handled,
      long ignored,
      long dead) {}

  /** Records read, all partitions together. */
  public long read() {
    return partitions.stream().mapToLong(Partition::read).sum();
  }

  /** Whether each range was read to its end. */
  public boolean finished() {
    return partitions.stream().allMatch(one -> one.next() >= one.range().to());
  }
}
