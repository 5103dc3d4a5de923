package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the database knows about one partition, at one moment.
 *
 * @param done offsets whose rows are committed and effects settled; dead letters count
 * @param lost offsets that Kafka's retention took before they were read
 * @param skipped offsets that an operator jumped
 * @param generation raised by {@code forget}; a writer of an older one is refused
 * @param leaderEpoch the highest of a record that was read; -1 before the first
 * @param timeline of the server when the ranges grew last; 0 before the first time
 * @param serverTimeline of the server now
 * @param readUntil database time at which a log end was seen that is now passed; null before the
 *     first
 * @param open who holds the partition, or held it without a clean release; null when it was
 *     released
 * @param databaseTime when this was read
 */
public record PartitionProgress(
    InboxPartition partition,
    OffsetRanges done,
    OffsetRanges lost,
    OffsetRanges skipped,
    int generation,
    int leaderEpoch,
    int timeline,
    int serverTimeline,
    @Nullable Instant readUntil,
    @Nullable UUID open,
    Instant databaseTime) {
  /** All but the two that may be null are required. */
  public PartitionProgress {
    requireNonNull(partition, "partition");
    requireNonNull(done, "done");
    requireNonNull(lost, "lost");
    requireNonNull(skipped, "skipped");
    requireNonNull(databaseTime, "databaseTime");
  }

  /** Offsets that need not be read again: done, lost or skipped. */
  public OffsetRanges settled() {
    return done.plus(lost).plus(skipped);
  }
}
