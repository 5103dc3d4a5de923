package io.idembox.runtime;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * What a replay does.
 *
 * @param ranges at most one of each partition
 * @param dryRun only looks: nothing is handled, recorded or performed
 * @param recordsPerSecond the most that is read, all partitions together; 0 for no limit
 */
public record ReplayPlan(List<ReplayRange> ranges, boolean dryRun, double recordsPerSecond) {
  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if a partition is named twice, or the rate is negative
   */
  public ReplayPlan {
    ranges = List.copyOf(ranges);
    Set<TopicPartition> seen = new HashSet<>();
    for (ReplayRange range : ranges) {
      if (!seen.add(range.partition())) {
        throw new IllegalArgumentException("A replay names " + range.partition() + " twice");
      }
    }
    if (recordsPerSecond < 0 || Double.isNaN(recordsPerSecond)) {
      throw new IllegalArgumentException(
          "A replay of " + recordsPerSecond + " records a second cannot be");
    }
  }
}
