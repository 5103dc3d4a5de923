package io.idembox.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reaches the brokers and reads what they know of the subscribed topics and of the group. */
final class KafkaCheck {
  private static final Logger log = LoggerFactory.getLogger(KafkaCheck.class);

  private KafkaCheck() {}

  /**
   * The topics' ids and sizes, the group's offsets, and whose brokers these are.
   *
   * @throws StartRefusedException if no broker answers in time, or a topic does not exist or may
   *     not be read
   */
  static TopicIds topicIds(KafkaSettings kafka, Set<String> topics, String group, Duration limit) {
    String at = "Kafka at " + kafka.bootstrapServers();
    Admin admin = null;
    try {
      admin = Admin.create(kafka.forAdmin());
      long end = System.nanoTime() + limit.toNanos();
      Map<String, KafkaFuture<TopicDescription>> answers =
          admin.describeTopics(topics).topicNameValues();
      KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> committed =
          admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata();
      KafkaFuture<String> cluster = admin.describeCluster().clusterId();
      Map<String, UUID> ids = new HashMap<>();
      Map<String, Integer> partitions = new HashMap<>();
      List<String> missing = new ArrayList<>();
      for (Map.Entry<String, KafkaFuture<TopicDescription>> answer : answers.entrySet()) {
        try {
          long left = Math.max(1, end - System.nanoTime());
          TopicDescription topic = answer.getValue().get(left, TimeUnit.NANOSECONDS);
          ids.put(answer.getKey(), AdminTopics.uuid(topic.topicId()));
          partitions.put(answer.getKey(), topic.partitions().size());
        } catch (ExecutionException e) {
          if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
            throw new StartRefusedException(
                at + " refuses topic " + answer.getKey() + ": " + e.getCause(), e.getCause());
          }
          missing.add(answer.getKey());
        }
      }
      if (!missing.isEmpty()) {
        throw new StartRefusedException(
            at + " has no topic " + String.join(", ", missing) + "; create it before the start",
            null);
      }
      return new TopicIds(ids, partitions, committed(committed, end), clusterId(cluster, end));
    } catch (TimeoutException e) {
      throw new StartRefusedException(
          at + " did not answer within " + limit.toMillis() + " ms; is it up, and reachable?", e);
    } catch (KafkaException e) {
      throw new StartRefusedException(at + " cannot be used: " + Causes.summary(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefusedException("Interrupted while asking " + at, e);
    } finally {
      if (admin != null) {
        // At once: its own close waits for the answers that did not come.
        admin.close(Duration.ZERO);
      }
    }
  }

  private static @Nullable String clusterId(KafkaFuture<String> asked, long end)
      throws InterruptedException, TimeoutException {
    try {
      return asked.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      log.warn("The brokers do not say which cluster they are: {}", Causes.summary(e));
      return null;
    }
  }

  private static Map<TopicPartition, OffsetAndMetadata> committed(
      KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> asked, long end)
      throws InterruptedException, TimeoutException {
    Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>();
    try {
      asked
          .get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS)
          .forEach(
              (partition, offset) -> {
                // Null for a partition without a commit.
                if (offset != null) {
                  found.put(partition, offset);
                }
              });
    } catch (ExecutionException e) {
      // No such group yet, or one that this member may not describe: each partition is looked at
      // again when it is assigned.
      log.debug("The group's offsets cannot be read before it is joined", e);
    }
    return found;
  }
}
