package io.idembox.service;

import io.idembox.runtime.ConsumerStatus;
import io.idembox.runtime.PartitionStatus;
import io.idembox.runtime.Stall;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How this member stands, in a shape that JSON knows without a module.
 *
 * @param lastPoll when the poll loop last turned
 */
record MemberStatus(Instant lastPoll, boolean joined, List<Partition> partitions) {

  /**
   * One of its partitions; what is null is not known, or not the case.
   *
   * @param stall why it, or a key in it, does not move
   */
  record Partition(
      String topic,
      int partition,
      @Nullable Long finishedOffset,
      @Nullable Long lagRecords,
      int queuedRecords,
      @Nullable Instant oldestUnfinished,
      @Nullable Stall stall) {}

  static MemberStatus of(ConsumerStatus status) {
    return new MemberStatus(
        status.lastPoll(),
        status.joined(),
        status.partitions().stream().map(MemberStatus::partition).toList());
  }

  private static Partition partition(PartitionStatus one) {
    return new Partition(
        one.topic(),
        one.partition(),
        boxed(one.finishedOffset()),
        boxed(one.lagRecords()),
        one.queuedRecords(),
        one.oldestUnfinished().orElse(null),
        one.stall().orElse(null));
  }

  private static @Nullable Long boxed(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }
}
