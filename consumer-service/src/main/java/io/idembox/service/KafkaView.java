package io.idembox.service;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** What Kafka says about the consumer's topics and group. Thread-safe. */
final class KafkaView {
  private static final Duration LIMIT = Duration.ofSeconds(9);

  private final Admin admin;
  private final Settings settings;
  private final String groupId;

  KafkaView(Stores stores) {
    this(stores, ConsumerAssembly.groupId(stores.settings()));
  }

  /** With a look at another group than the consumer's. */
  KafkaView(Stores stores, String groupId) {
    this.admin = stores.admin();
    this.settings = stores.settings();
    this.groupId = groupId;
  }

  String groupId() {
    return groupId;
  }

  /** All topics of all subscriptions. */
  java.util.List<String> topics() {
    return java.util.stream.IntStream.range(0, settings.count("subscriptions"))
        .boxed()
        .flatMap(i -> settings.get(Options.TOPICS, i).stream())
        .toList();
  }

  String clusterId() {
    return await(admin.describeCluster().clusterId());
  }

  /** The topics that are there. */
  Map<String, TopicDescription> describe() {
    Map<String, TopicDescription> found = new TreeMap<>();
    admin
        .describeTopics(topics())
        .topicNameValues()
        .forEach(
            (name, answer) -> {
              try {
                found.put(name, await(answer));
              } catch (UnknownTopicOrPartitionException e) {
                // Missing ones are those that are not in the answer.
                return;
              }
            });
    return found;
  }

  static UUID id(Uuid id) {
    return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  static java.util.List<TopicPartition> partitions(Map<String, TopicDescription> topics) {
    return topics.values().stream()
        .flatMap(
            topic ->
                topic.partitions().stream()
                    .map(partition -> new TopicPartition(topic.name(), partition.partition())))
        .toList();
  }

  Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetSpec spec) {
    Map<TopicPartition, ListOffsetsResultInfo> answers =
        await(
            admin
                .listOffsets(
                    partitions.stream().collect(Collectors.toMap(Function.identity(), p -> spec)))
                .all());
    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    answers.forEach((partition, info) -> offsets.put(partition, info.offset()));
    return offsets;
  }

  Map<TopicPartition, OffsetAndMetadata> committed() {
    try {
      Map<TopicPartition, OffsetAndMetadata> committed =
          new LinkedHashMap<>(
              await(admin.listConsumerGroupOffsets(groupId()).partitionsToOffsetAndMetadata()));
      committed.values().removeIf(java.util.Objects::isNull);
      return committed;
    } catch (GroupIdNotFoundException e) {
      return Map.of();
    }
  }

  ConsumerGroupDescription group() {
    String group = groupId();
    return java.util.Objects.requireNonNull(
        await(admin.describeConsumerGroups(java.util.List.of(group)).all()).get(group), group);
  }

  /**
   * Moves the group's offsets.
   *
   * @throws NotPossibleException if a member has joined meanwhile
   */
  void alter(Map<TopicPartition, OffsetAndMetadata> offsets) {
    try {
      await(admin.alterConsumerGroupOffsets(groupId(), offsets).all());
    } catch (UnknownMemberIdException e) {
      // What Kafka says to somebody who is no member of a group that has some.
      throw new NotPossibleException(
          "group " + groupId() + " has members: stop the consumer first; nothing was moved");
    }
  }

  /**
   * The refusal of a topic or partition that the subscriptions do not have.
   *
   * @param topic null for any of theirs
   */
  NotPossibleException noPartition(@Nullable String topic, @Nullable Integer partition) {
    return new NotPossibleException(
        (partition == null
                ? "the subscriptions read no topic" + (topic == null ? "" : " " + topic)
                : "the subscriptions read no partition " + topic + "-" + partition)
            + " that is there; their topics (subscriptions[].topics) are "
            + String.join(", ", topics()));
  }

  Admin admin() {
    return admin;
  }

  /**
   * The answer.
   *
   * @throws ServerException if there is none in time, or Kafka refuses
   * @throws UnknownTopicOrPartitionException if the topic is not there
   * @throws GroupIdNotFoundException if the group is not there
   * @throws UnknownMemberIdException if the group has members, and only one of them may do this
   */
  <T> T await(KafkaFuture<T> future) {
    try {
      return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw away(e.getCause());
      }
      // These three are answers to those who ask.
      if (e.getCause() instanceof UnknownTopicOrPartitionException
          || e.getCause() instanceof GroupIdNotFoundException
          || e.getCause() instanceof UnknownMemberIdException) {
        throw (RuntimeException) e.getCause();
      }
      if (e.getCause() instanceof KafkaException refusal) {
        throw new ServerException(
            "Kafka at " + servers() + " refuses: " + refusal.getMessage(), refusal);
      }
      throw new ServerException("Kafka at " + servers() + " failed: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw away(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerException("Interrupted while asking Kafka at " + servers(), e);
    }
  }

  private ServerException away(Throwable cause) {
    return new ServerException(
        "Kafka at " + servers() + " did not answer in time; is it up, and reachable?", cause);
  }

  String servers() {
    return String.valueOf(settings.group(Options.KAFKA).get(KafkaProperties.BOOTSTRAP_SERVERS));
  }
}
