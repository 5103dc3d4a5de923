package io.idembox.runtime;

import static java.util.Objects.requireNonNull;

import org.apache.kafka.common.TopicPartition;

/**
 * What a replay reads of one partition.
 *
 * @param from the first offset
 * @param to the offset behind the last
 */
public record ReplayRange(TopicPartition partition, long from, long to) {
  /**
   * Checks the offsets.
   *
   * @throws IllegalArgumentException unless {@code 0 <= from <= to}
   */
  public ReplayRange {
    requireNonNull(partition, "partition");
    if (from < 0 || to < from) {
      throw new IllegalArgumentException(
          "A replay of " + partition + " from " + from + " to " + to + " cannot be");
    }
  }
}
