package io.idembox.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * The lanes of the partitions that this member owns. Used by the poll thread alone.
 *
 * <p>A lane stands for one assignment of one partition. It leaves this map before it ends, so what
 * is found here is current.
 */
final class Assignment {
  private final Map<TopicPartition, PartitionLane> lanes = new HashMap<>();
  private final LaneLimits limits;

  Assignment(LaneLimits limits) {
    this.limits = limits;
  }

  /** Begins a lane for each partition; one that was held until now ends first. */
  void add(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      PartitionLane before = lanes.put(partition, new PartitionLane(partition, limits));
      if (before != null) {
        before.end();
      }
    }
  }

  Optional<PartitionLane> lane(TopicPartition partition) {
    return Optional.ofNullable(lanes.get(partition));
  }

  Collection<PartitionLane> lanes() {
    return lanes.values();
  }

  /**
   * Lets no further batch of these partitions start and waits for those that run.
   *
   * @return the lanes in which a batch still runs when the time is up
   */
  List<PartitionLane> drain(Collection<TopicPartition> partitions, Duration limit)
      throws InterruptedException {
    List<PartitionLane> stopping = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      lane(partition).ifPresent(stopping::add);
    }
    stopping.forEach(PartitionLane::stop);
    long end = System.nanoTime() + limit.toNanos();
    List<PartitionLane> busy = new ArrayList<>();
    for (PartitionLane lane : stopping) {
      if (!lane.awaitIdle(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
        busy.add(lane);
      }
    }
    return busy;
  }

  /** Ends the lanes of these partitions. */
  void end(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      PartitionLane lane = lanes.remove(partition);
      if (lane != null) {
        lane.end();
      }
    }
  }
}
