package io.idembox.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a partition is read from when its group has no usable committed offset. Kafka's own reset
 * is switched off underneath, since it jumps without a word.
 */
public enum StartPosition {
  /** From the oldest record that the topic still holds. The default: nothing is passed over. */
  EARLIEST,
  /** From the records that come after the start; what is there already is not read. */
  LATEST;

  private static final Duration COMMIT_LIMIT = Duration.ofSeconds(5);
  private static final Logger log = LoggerFactory.getLogger(StartPosition.class);

  /** The group never committed an offset for these partitions. */
  void place(Consumer<?, ?> consumer, Set<TopicPartition> partitions) {
    Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
    Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
    Map<TopicPartition, OffsetAndMetadata> chosen = new HashMap<>();
    for (TopicPartition partition : partitions) {
      long position = known(this == EARLIEST ? first : end, partition);
      consumer.seek(partition, position);
      chosen.put(partition, new OffsetAndMetadata(position));
      log.info(
          "{} has no committed offset: starts at {} ({}), with {} records ahead of it",
          partition,
          position,
          this,
          known(end, partition) - position);
    }
    // At once: a partition without traffic would otherwise be placed anew at the next start, and
    // LATEST would jump what came in between.
    consumer.commitSync(chosen, COMMIT_LIMIT);
  }

  /** The committed offsets of these partitions are not in their logs any more. */
  void placeOutOfRange(Consumer<?, ?> consumer, Map<TopicPartition, Long> positions) {
    Collection<TopicPartition> partitions = positions.keySet();
    Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
    for (Map.Entry<TopicPartition, Long> entry : positions.entrySet()) {
      long begin = known(first, entry.getKey());
      consumer.seek(entry.getKey(), begin);
      log.warn(
          "{}: offset {} is not in the log any more; reading goes on at its beginning, {}."
              + " Records between the two, if any, were gone before they were read",
          entry.getKey(),
          entry.getValue(),
          begin);
    }
  }

  /** Kafka answers for each partition it was asked for, or throws. */
  private static long known(Map<TopicPartition, Long> offsets, TopicPartition partition) {
    return Objects.requireNonNull(offsets.get(partition), () -> "No answer for " + partition);
  }
}
