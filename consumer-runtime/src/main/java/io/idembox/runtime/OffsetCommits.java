package io.idembox.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits offsets: only forward within an assignment, only from finished work, several partitions
 * in one request. Used by the poll thread alone, on which Kafka also runs the commit callbacks.
 */
final class OffsetCommits {
  private static final Logger log = LoggerFactory.getLogger(OffsetCommits.class);

  private final Consumer<?, ?> consumer;
  private final Duration interval;
  private final Map<TopicPartition, Long> confirmed = new HashMap<>();
  private boolean underWay;
  private long lastSent;

  OffsetCommits(Consumer<?, ?> consumer, Duration interval) {
    this.consumer = consumer;
    this.interval = interval;
    this.lastSent = System.nanoTime();
  }

  /** Sends what was finished, if it is time, without waiting for the answer. */
  void sendIfDue(Collection<PartitionWork> works) {
    if (underWay || System.nanoTime() - lastSent < interval.toNanos()) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = unconfirmed(works);
    if (offsets.isEmpty()) {
      return;
    }
    underWay = true;
    lastSent = System.nanoTime();
    consumer.commitAsync(
        offsets,
        (sent, failure) -> {
          underWay = false;
          if (failure == null) {
            confirm(sent);
          } else if (failure instanceof RetriableException) {
            // A rebalance under way, or a broker that moves: everyday, and sent again below.
            log.debug("Offset commit not taken yet: {}", Causes.summary(failure));
          } else {
            // The next interval sends again whatever is still ours; a lost partition sends nothing.
            log.warn(
                "Offset commit refused, to be sent again if still owned: {}: {}",
                sent,
                Causes.summary(failure));
          }
        });
  }

  /**
   * Commits what was finished and waits for the answer. A refusal is logged, not thrown: the
   * records are in the inbox, and their next owner skips them.
   */
  void flush(Collection<PartitionWork> works, Duration limit) {
    Map<TopicPartition, OffsetAndMetadata> offsets = unconfirmed(works);
    if (offsets.isEmpty()) {
      return;
    }
    try {
      commitDespiteWakeup(offsets, limit);
      confirm(offsets);
    } catch (KafkaException e) {
      log.warn(
          "Offset commit refused; the partitions' next owner skips what is recorded: {}: {}",
          offsets,
          Causes.summary(e));
    }
  }

  /** Forgets partitions that are no longer ours, so that a new assignment starts afresh. */
  void forget(Collection<TopicPartition> partitions) {
    partitions.forEach(confirmed::remove);
  }

  private void commitDespiteWakeup(Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
    try {
      consumer.commitSync(offsets, limit);
    } catch (WakeupException e) {
      // Meant for the poll that this commit is part of: the loop sees its flag in any case.
      consumer.commitSync(offsets, limit);
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> unconfirmed(Collection<PartitionWork> works) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (PartitionWork work : works) {
      work.finished()
          .filter(next -> next.offset() > confirmed.getOrDefault(work.partition(), -1L))
          .ifPresent(next -> offsets.put(work.partition(), next));
    }
    return offsets;
  }

  private void confirm(Map<TopicPartition, OffsetAndMetadata> sent) {
    sent.forEach((partition, next) -> confirmed.merge(partition, next.offset(), Math::max));
  }
}
