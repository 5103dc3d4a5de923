package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What one member adds to a partition's progress, and what it believes to be stored.
 *
 * @param done finished offsets, all of whose transactions ran under {@code timeline}
 * @param lost offsets found missing in the log
 * @param skipped offsets that an operator's move jumped
 * @param generation as read
 * @param leaderEpoch as read, or as set by a cut of this member's
 * @param timeline of the transactions, from {@link InboxRun#timeline}
 * @param readUntil a {@link PartitionProgress#databaseTime} from before a log end was asked for
 *     that is now passed; null when none was
 */
public record ProgressGrowth(
    InboxPartition partition,
    OffsetRanges done,
    OffsetRanges lost,
    OffsetRanges skipped,
    int generation,
    int leaderEpoch,
    int timeline,
    @Nullable Instant readUntil) {
  /** All but the time are required. */
  public ProgressGrowth {
    requireNonNull(partition, "partition");
    requireNonNull(done, "done");
    requireNonNull(lost, "lost");
    requireNonNull(skipped, "skipped");
  }

  /** Finished offsets on top of what was read, under the server's timeline at that time. */
  public static ProgressGrowth done(PartitionProgress known, OffsetRanges done, int timeline) {
    return new ProgressGrowth(
        known.partition(),
        done,
        OffsetRanges.EMPTY,
        OffsetRanges.EMPTY,
        known.generation(),
        known.leaderEpoch(),
        timeline,
        null);
  }
}
