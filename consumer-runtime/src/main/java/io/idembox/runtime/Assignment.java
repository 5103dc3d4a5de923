package io.idembox.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/**
 * The partitions that this member owns, and the work on them. Changed by the poll thread alone.
 *
 * <p>A work stands for one epoch of one assignment of one partition. It leaves this map before it
 * ends, so what is found here is current.
 */
final class Assignment {
  private final Map<TopicPartition, HeldPartition> held = new ConcurrentHashMap<>();
  private final LaneLimits limits;
  private final ConsumerMetrics metrics;
  private final Runnable onRoom;

  /**
   * One without partitions.
   *
   * @param onRoom called on a worker's thread when one that was full has room again
   */
  Assignment(LaneLimits limits, ConsumerMetrics metrics, Runnable onRoom) {
    this.limits = limits;
    this.metrics = metrics;
    this.onRoom = onRoom;
  }

  /** Takes each partition over; one that was held until now ends first. */
  void add(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      end(List.of(partition));
      PartitionWork work = new PartitionWork(partition, limits, onRoom);
      held.put(partition, new HeldPartition(partition, work));
      metrics.assigned(work);
    }
  }

  /** Ends the epoch of a partition and begins another. */
  void restart(HeldPartition partition, HeldPartition.Resume why) {
    PartitionWork before = partition.work();
    PartitionWork fresh = new PartitionWork(partition.partition(), limits, onRoom);
    partition.restart(fresh, why);
    before.end();
    metrics.ended(partition.partition());
    metrics.assigned(fresh);
  }

  Optional<HeldPartition> held(TopicPartition partition) {
    return Optional.ofNullable(held.get(partition));
  }

  Collection<HeldPartition> all() {
    return held.values();
  }

  /** Those of the given partitions that are held. */
  List<HeldPartition> heldOf(Collection<TopicPartition> partitions) {
    return partitions.stream().flatMap(partition -> held(partition).stream()).toList();
  }

  /** How they stand, by topic and number; safe from any thread. */
  List<PartitionStatus> statuses() {
    return held.values().stream()
        .map(partition -> partition.work().status())
        .sorted(
            Comparator.comparing(PartitionStatus::topic)
                .thenComparingInt(PartitionStatus::partition))
        .toList();
  }

  /**
   * Lets no further batch of these partitions start and waits for those that run.
   *
   * @return those on which a batch still runs when the time is up
   */
  List<HeldPartition> drain(Collection<TopicPartition> partitions, Deadline deadline)
      throws InterruptedException {
    List<HeldPartition> stopping = heldOf(partitions);
    stopping.forEach(partition -> partition.work().stop());
    List<HeldPartition> busy = new ArrayList<>();
    for (HeldPartition partition : stopping) {
      boolean idle = partition.work().awaitIdle(deadline.part());
      while (!idle && !deadline.left().isZero()) {
        idle = partition.work().awaitIdle(deadline.part());
      }
      if (!idle) {
        busy.add(partition);
      }
    }
    return busy;
  }

  /** Ends the work on these partitions. */
  void end(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      HeldPartition before = held.remove(partition);
      if (before != null) {
        before.work().end();
        metrics.ended(partition);
      }
    }
  }
}
