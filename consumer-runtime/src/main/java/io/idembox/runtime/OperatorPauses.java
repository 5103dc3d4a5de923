package io.idembox.runtime;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Partitions on which people want no work to begin for a while. Kept by this member, also while
 * another one owns the partition; lost with the process. Thread-safe.
 */
final class OperatorPauses {
  private final Map<TopicPartition, Stall> pauses = new ConcurrentHashMap<>();

  /** Keeps the first reason of a partition that is paused already. */
  void pause(TopicPartition partition, String why) {
    pauses.putIfAbsent(
        partition,
        new Stall(Stall.Reason.PAUSED, "paused by an operator: " + why, Instant.now(), 0));
  }

  /** Returns false if it was not paused. */
  boolean resume(TopicPartition partition) {
    return pauses.remove(partition) != null;
  }

  /** Null where nobody has asked for it. */
  @Nullable Stall of(TopicPartition partition) {
    return pauses.get(partition);
  }
}
