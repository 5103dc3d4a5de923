package io.idembox.benchmarks;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/** The committed offsets of groups, as an operator sees and moves them. */
final class GroupOffsets implements AutoCloseable {
  private static final int TRIES = 100;

  private final Admin admin;
  private final int partitions;

  GroupOffsets(String bootstrapServers, int partitions) {
    this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
    this.partitions = partitions;
  }

  /** Sets a group that has no members back to the first records. */
  void rewind(String group, String topic) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (int partition = 0; partition < partitions; partition++) {
      offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(0));
    }
    for (int attempt = 1; ; attempt++) {
      try {
        get(admin.alterConsumerGroupOffsets(group, offsets).all());
        return;
      } catch (ExecutionException e) {
        // A member that has closed may not have left yet.
        if (attempt == TRIES || !(e.getCause() instanceof UnknownMemberIdException)) {
          throw new BenchmarkException("Group " + group + " could not be rewound", e);
        }
        pause();
      }
    }
  }

  /**
   * Checks that the group has committed all records of the topic.
   *
   * @throws BenchmarkException if it has not
   */
  void verify(String group, String topic, long records) {
    try {
      long committed = 0;
      for (Map.Entry<TopicPartition, OffsetAndMetadata> entry :
          get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).entrySet()) {
        if (entry.getKey().topic().equals(topic) && entry.getValue() != null) {
          committed += entry.getValue().offset();
        }
      }
      if (committed != records) {
        throw new BenchmarkException(
            "Group "
                + group
                + " has committed offsets up to "
                + committed
                + " on "
                + topic
                + "; expected "
                + records);
      }
    } catch (ExecutionException e) {
      throw new BenchmarkException("The offsets of group " + group + " could not be read", e);
    }
  }

  /** Forgets a group that is no longer needed; one that has members stays. */
  void delete(String group) {
    try {
      get(admin.deleteConsumerGroups(List.of(group)).all());
    } catch (ExecutionException e) {
      // Only tidiness: the next pass has a group of its own.
      return;
    }
  }

  private static <T> T get(KafkaFuture<T> future) throws ExecutionException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchmarkException("Interrupted", e);
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchmarkException("Interrupted", e);
    }
  }

  @Override
  public void close() {
    admin.close();
  }
}
