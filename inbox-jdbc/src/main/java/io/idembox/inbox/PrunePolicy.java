package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * What pruning may remove, and how much at once.
 *
 * @param inboxRetention how long inbox rows are kept, at least as long as Kafka keeps the records;
 *     counted back from the moment up to which the slowest partition has been read, not from now
 * @param closedLetterRetention how long dead letters are kept after they were closed
 * @param roundInterval how long a walk through the table takes at least; a row is pruned only when
 *     it was done one walk earlier
 * @param sliceBlocks how many blocks of the inbox table (about 120 rows each) one slice looks at
 * @param sliceRows how many rows of the journal and of the dead letters one slice looks at
 */
public record PrunePolicy(
    Duration inboxRetention,
    Duration closedLetterRetention,
    Duration roundInterval,
    int sliceBlocks,
    int sliceRows) {
  /** 14 days, 30 days, 10 minutes, 16 blocks, 1,000 rows. */
  public static final PrunePolicy DEFAULT =
      new PrunePolicy(Duration.ofDays(14), Duration.ofDays(30), Duration.ofMinutes(10), 16, 1_000);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a value is out of its range
   */
  public PrunePolicy {
    positive("inboxRetention", inboxRetention);
    positive("closedLetterRetention", closedLetterRetention);
    if (requireNonNull(roundInterval, "roundInterval").isNegative()) {
      throw new IllegalArgumentException("roundInterval is " + roundInterval + ": zero or more");
    }
    if (sliceBlocks < 1 || sliceBlocks > 10_000 || sliceRows < 1 || sliceRows > 100_000) {
      throw new IllegalArgumentException(
          "A pruning slice of "
              + sliceBlocks
              + " blocks and "
              + sliceRows
              + " rows: allowed are 1 to 10,000 and 1 to 100,000");
    }
  }

  /** This policy with another retention of inbox rows. */
  public PrunePolicy withInboxRetention(Duration retention) {
    return new PrunePolicy(retention, closedLetterRetention, roundInterval, sliceBlocks, sliceRows);
  }

  /** This policy with another pace of walks. */
  public PrunePolicy withRoundInterval(Duration interval) {
    return new PrunePolicy(inboxRetention, closedLetterRetention, interval, sliceBlocks, sliceRows);
  }

  private static void positive(String name, Duration value) {
    if (requireNonNull(value, name).isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + " is " + value + ": it must be positive");
    }
  }
}
