package io.idembox.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/**
 * The work on the partitions that this member owns. Changed by the poll thread alone.
 *
 * <p>A work stands for one assignment of one partition. It leaves this map before it ends, so what
 * is found here is current.
 */
final class Assignment {
  private final Map<TopicPartition, PartitionWork> works = new ConcurrentHashMap<>();
  private final LaneLimits limits;

  Assignment(LaneLimits limits) {
    this.limits = limits;
  }

  /** Begins the work on each partition; one that was held until now ends first. */
  void add(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      PartitionWork before = works.put(partition, new PartitionWork(partition, limits));
      if (before != null) {
        before.end();
      }
    }
  }

  Optional<PartitionWork> work(TopicPartition partition) {
    return Optional.ofNullable(works.get(partition));
  }

  Collection<PartitionWork> works() {
    return works.values();
  }

  /** How they stand, by topic and number; safe from any thread. */
  List<PartitionStatus> statuses() {
    return works.values().stream()
        .map(PartitionWork::status)
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
  List<PartitionWork> drain(Collection<TopicPartition> partitions, Duration limit)
      throws InterruptedException {
    List<PartitionWork> stopping = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      work(partition).ifPresent(stopping::add);
    }
    stopping.forEach(PartitionWork::stop);
    long end = System.nanoTime() + limit.toNanos();
    List<PartitionWork> busy = new ArrayList<>();
    for (PartitionWork work : stopping) {
      if (!work.awaitIdle(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
        busy.add(work);
      }
    }
    return busy;
  }

  /** Ends the work on these partitions. */
  void end(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      PartitionWork work = works.remove(partition);
      if (work != null) {
        work.end();
      }
    }
  }
}
