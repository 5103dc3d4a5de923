package io.idembox.runtime;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens where the position has fallen out of the log: below its begin, since retention went
 * past it, or beyond its end, since a leader took over that had less of it.
 */
final class LogEdges {
  private static final Logger log = LoggerFactory.getLogger(LogEdges.class);
  private static final Duration KAFKA_LIMIT = Duration.ofSeconds(5);

  private final Consumer<?, ?> consumer;
  private final Assignment assignment;
  private final ConsumerMetrics metrics;
  private final CommitRound.Restarts restarts;

  LogEdges(
      Consumer<?, ?> consumer,
      Assignment assignment,
      ConsumerMetrics metrics,
      CommitRound.Restarts restarts) {
    this.consumer = consumer;
    this.assignment = assignment;
    this.metrics = metrics;
    this.restarts = restarts;
  }

  /** Finds out at which edge the partitions are, and lets their reading go on. */
  void meet(OffsetOutOfRangeException e) {
    if (e instanceof LogTruncationException truncation) {
      cutOff(truncation);
      return;
    }
    Map<TopicPartition, Long> positions = e.offsetOutOfRangePartitions();
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(positions.keySet(), KAFKA_LIMIT);
    Map<TopicPartition, Long> ends = consumer.endOffsets(positions.keySet(), KAFKA_LIMIT);
    positions.forEach(
        (partition, position) -> {
          long begin = begins.getOrDefault(partition, 0L);
          if (position < begin) {
            lost(partition, position, begin);
          } else {
            cutOff(partition, Math.min(position, ends.getOrDefault(partition, 0L)));
          }
        });
  }

  private void lost(TopicPartition partition, long position, long begin) {
    log.warn(
        "{}: Kafka dropped offsets {} to {} before they were read ({} offsets); reading goes on at"
            + " {}",
        partition,
        position,
        begin - 1,
        begin - position,
        begin);
    metrics.lost(partition.topic(), begin - position);
    assignment.held(partition).ifPresent(held -> held.work().offsets().lostUpTo(begin));
    consumer.seek(partition, begin);
  }

  /** A broker that knows no epoch of what was read does not say where: then it may be anywhere. */
  private void cutOff(LogTruncationException truncation) {
    Map<TopicPartition, OffsetAndMetadata> divergent = truncation.divergentOffsets();
    divergent.forEach((partition, at) -> cutOff(partition, at.offset()));
    Set<TopicPartition> unknown = new HashSet<>(truncation.partitions());
    unknown.removeAll(divergent.keySet());
    if (!unknown.isEmpty()) {
      consumer.beginningOffsets(unknown, KAFKA_LIMIT).forEach(this::cutOff);
    }
  }

  private void cutOff(TopicPartition partition, long from) {
    assignment
        .held(partition)
        .ifPresent(
            held ->
                restarts.restart(
                    held,
                    new HeldPartition.Resume(
                        "its log ends before what was read of it, and was cut off at " + from,
                        held.floor(),
                        held.storedUpTo(),
                        false,
                        OptionalLong.of(from))));
  }
}
