package io.idembox.inbox;

import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Per partition, the set of offsets that are known to be done. It grows before the Kafka offset
 * that it covers is committed, and is cut before offsets can stand for something else.
 *
 * <p>Thread-safe; each method is one transaction, or a single statement. All throw {@link
 * InboxStatementException} when the database failed.
 */
public interface Progress {
  /**
   * How partitions stand, in the order asked for; one never seen before is made, with nothing done.
   */
  List<PartitionProgress> read(List<InboxPartition> partitions);

  /**
   * Takes partitions over: from now on {@link PartitionProgress#open} names the token, until it is
   * released.
   *
   * @return how they stood before, {@code open} included: not null means that the holder before did
   *     not release it
   */
  List<PartitionProgress> open(List<InboxPartition> partitions, UUID token);

  /** Clears the token where it is still this one. */
  void release(Collection<InboxPartition> partitions, UUID token);

  /**
   * Adds offsets, by union, where the member has seen every change: generation, leader epoch and
   * timeline are compared in the same statement.
   *
   * @return an answer for each, in the order given
   */
  List<GrowthResult> grow(List<ProgressGrowth> growths);

  /**
   * The log was truncated, or may have been: a record of a higher leader epoch stands at an offset.
   * What was done from there on counts no more, and the epoch is raised.
   *
   * @param known as read; if another member has changed it meanwhile, nothing is cut
   * @return how it stands then; where its leader epoch is below the one given, nothing was cut, and
   *     what {@code known} said of what is done must be decided anew from this answer
   */
  PartitionProgress cut(PartitionProgress known, long fromOffset, int leaderEpoch);

  /**
   * Forgets what was done in a range of offsets, rows included: their records are handled again
   * when they come again. Raises the generation. Reads the whole inbox table.
   *
   * @return how many messages were forgotten
   */
  long forget(InboxPartition partition, OffsetRanges offsets);
}
