package io.idembox.runtime;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What Kafka knew of the subscribed topics and of the group when the consumer was started.
 * Immutable.
 *
 * @param byName the ids that Kafka gave the topics
 * @param partitions how many partitions each topic had
 * @param committed the group's offsets
 * @param clusterId of the brokers; null where they name none
 */
record TopicIds(
    Map<String, UUID> byName,
    Map<String, Integer> partitions,
    Map<TopicPartition, OffsetAndMetadata> committed,
    @Nullable String clusterId) {
  static final UUID UNKNOWN = new UUID(0, 0);

  TopicIds {
    byName = Map.copyOf(byName);
    partitions = Map.copyOf(partitions);
    committed = Map.copyOf(committed);
  }

  /**
   * Whether a partition was there at this group's first start on its topic. One that was added
   * later, while it ran or while nobody ran, is read from its beginning whatever the start position
   * is: nobody can have meant to jump what came into it.
   */
  boolean isOfFirstStart(TopicPartition partition) {
    boolean startedBefore =
        committed.keySet().stream().anyMatch(known -> known.topic().equals(partition.topic()));
    return !startedBefore && partition.partition() < partitions.getOrDefault(partition.topic(), 0);
  }

  /** An installation other than this one whose consumer has committed offsets of the group. */
  Optional<UUID> otherInstallation(UUID here) {
    Set<UUID> installations = new HashSet<>();
    committed.forEach(
        (partition, offset) ->
            CommitMetadata.parse(offset.metadata())
                .filter(said -> said.topicId().equals(byName.get(partition.topic())))
                .ifPresent(said -> installations.add(said.installation())));
    installations.remove(here);
    return installations.stream().findAny();
  }
}
