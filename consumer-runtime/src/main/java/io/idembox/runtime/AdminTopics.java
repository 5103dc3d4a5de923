package io.idembox.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What brokers say of topics, through one admin client that is kept open. Thread-safe. */
final class AdminTopics implements TopicSightings, HistoryWatch.LogEnds, AutoCloseable {
  private static final int LIMIT_MS = 5_000;
  static final Duration FOR_EVER = Duration.ofMillis(Long.MAX_VALUE);

  private final Admin admin;

  AdminTopics(Admin admin) {
    this.admin = admin;
  }

  /** A topic as it is now. */
  record Topic(UUID id, int partitions) {}

  @Override
  public CompletableFuture<Map<String, UUID>> ask(Set<String> names) {
    return topics(names)
        .thenApply(
            topics -> {
              Map<String, UUID> ids = new HashMap<>();
              topics.forEach((name, topic) -> ids.put(name, topic.id()));
              return ids;
            });
  }

  /** The topics by name, without those that do not exist. */
  CompletableFuture<Map<String, Topic>> topics(Set<String> names) {
    Map<String, KafkaFuture<TopicDescription>> answers;
    try {
      answers =
          admin
              .describeTopics(names, new DescribeTopicsOptions().timeoutMs(LIMIT_MS))
              .topicNameValues();
    } catch (KafkaException | IllegalStateException e) {
      // The client is closed, or about to be.
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<Map<String, Topic>> all = CompletableFuture.completedFuture(new HashMap<>());
    for (Map.Entry<String, KafkaFuture<TopicDescription>> answer : answers.entrySet()) {
      all =
          all.thenCombine(
              topic(answer.getValue()), (topics, topic) -> with(topics, answer.getKey(), topic));
    }
    return all;
  }

  private static CompletableFuture<Optional<Topic>> topic(KafkaFuture<TopicDescription> answer) {
    return answer
        .toCompletionStage()
        .thenApply(
            topic -> Optional.of(new Topic(uuid(topic.topicId()), topic.partitions().size())))
        .exceptionally(AdminTopics::missing)
        .toCompletableFuture();
  }

  /** A topic that is not there is an answer; all else is none. */
  private static Optional<Topic> missing(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? Causes.root(failure) : failure;
    if (cause instanceof UnknownTopicOrPartitionException) {
      return Optional.empty();
    }
    throw new CompletionException(cause);
  }

  private static Map<String, Topic> with(
      Map<String, Topic> topics, String name, Optional<Topic> topic) {
    topic.ifPresent(found -> topics.put(name, found));
    return topics;
  }

  @Override
  public CompletableFuture<Map<TopicPartition, Long>> ask(Collection<TopicPartition> partitions) {
    Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
    partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
    try {
      return admin
          .listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
          .all()
          .toCompletionStage()
          .thenApply(AdminTopics::offsets)
          .toCompletableFuture();
    } catch (KafkaException | IllegalStateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Map<TopicPartition, Long> offsets(
      Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> answers) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    answers.forEach((partition, answer) -> offsets.put(partition, answer.offset()));
    return offsets;
  }

  /** How long the topics keep their records; without those that say nothing about it. */
  CompletableFuture<Map<String, Duration>> retentions(Set<String> names) {
    List<ConfigResource> resources =
        names.stream().map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();
    try {
      return admin
          .describeConfigs(resources)
          .all()
          .toCompletionStage()
          .thenApply(AdminTopics::retentions)
          .toCompletableFuture();
    } catch (KafkaException | IllegalStateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Map<String, Duration> retentions(Map<ConfigResource, Config> configs) {
    Map<String, Duration> retentions = new HashMap<>();
    configs.forEach(
        (resource, config) -> {
          ConfigEntry entry = config.get("retention.ms");
          if (entry != null && entry.value() != null) {
            long ms = Long.parseLong(entry.value());
            retentions.put(resource.name(), ms < 0 ? FOR_EVER : Duration.ofMillis(ms));
          }
        });
    return retentions;
  }

  static UUID uuid(Uuid id) {
    return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  @Override
  public void close() {
    // At once: its own close waits for answers that nobody needs any more.
    admin.close(Duration.ZERO);
  }
}
