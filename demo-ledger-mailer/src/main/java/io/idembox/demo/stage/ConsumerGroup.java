package io.idembox.demo.stage;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** A consumer group on one topic as an operator sees it. */
public final class ConsumerGroup implements AutoCloseable {
  private final Admin admin;
  private final String name;
  private final List<TopicPartition> partitions;

  /**
   * Connects to nobody yet.
   *
   * @param name of the group
   * @param partitions of the topic
   */
  public ConsumerGroup(String bootstrapServers, String name, String topic, int partitions) {
    this.name = name;
    this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
    this.partitions =
        IntStream.range(0, partitions).mapToObj(i -> new TopicPartition(topic, i)).toList();
  }

  /** Records of the topic that the group has not committed yet. */
  public long lag() throws DemoFailure, InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> committed =
        get(
            "committed offsets",
            admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata());
    // No record was deleted, so each partition's log begins at 0.
    long lag = offsets(OffsetSpec.latest()).values().stream().mapToLong(Long::longValue).sum();
    for (OffsetAndMetadata offset : committed.values()) {
      lag -= offset == null ? 0 : offset.offset();
    }
    return lag;
  }

  /** Whether no member is left, so that offsets may be changed. */
  public boolean isEmpty() throws DemoFailure, InterruptedException {
    return get("the group's state", admin.describeConsumerGroups(List.of(name)).all())
        .values()
        .stream()
        .allMatch(group -> group.groupState() == GroupState.EMPTY);
  }

  /** Sets the offsets of all partitions back to the first record. The group has to be empty. */
  public void rewind() throws DemoFailure, InterruptedException {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    offsets(OffsetSpec.earliest())
        .forEach((partition, offset) -> offsets.put(partition, new OffsetAndMetadata(offset)));
    get("the rewind", admin.alterConsumerGroupOffsets(name, offsets).all());
  }

  private Map<TopicPartition, Long> offsets(OffsetSpec spec)
      throws DemoFailure, InterruptedException {
    Map<TopicPartition, OffsetSpec> asked =
        partitions.stream().collect(Collectors.toMap(partition -> partition, partition -> spec));
    Map<TopicPartition, Long> offsets = new HashMap<>();
    Map<TopicPartition, ListOffsetsResultInfo> answer =
        get("log offsets", admin.listOffsets(asked).all());
    answer.forEach((partition, info) -> offsets.put(partition, info.offset()));
    return offsets;
  }

  private static <T> T get(String what, KafkaFuture<T> future)
      throws DemoFailure, InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException failure) {
      throw new DemoFailure("Kafka did not answer for " + what, failure.getCause());
    }
  }

  @Override
  public void close() {
    admin.close();
  }
}
