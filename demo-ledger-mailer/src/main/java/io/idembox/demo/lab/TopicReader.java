package io.idembox.demo.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic from what was acked to the end that it had when this began. Not thread-safe. */
final class TopicReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<TopicPartition, Long> ends;

  /**
   * Assigns all partitions to itself: there is one worker, and no wait for a dead member.
   *
   * @param group under whose name it acks
   */
  TopicReader(String bootstrapServers, String topic, String group) {
    consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.GROUP_ID_CONFIG,
                group,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                1_000),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(one -> new TopicPartition(one.topic(), one.partition()))
            .toList();
    consumer.assign(partitions);
    ends = consumer.endOffsets(partitions);
  }

  /** Records between where it stands and the end. */
  private long left() {
    return ends.entrySet().stream()
        .mapToLong(end -> end.getValue() - consumer.position(end.getKey()))
        .sum();
  }

  /** The next records; none only at the end. */
  Collection<ConsumerRecord<byte[], byte[]>> next() {
    while (left() > 0) {
      ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
      if (!polled.isEmpty()) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>(polled.count());
        polled.forEach(records::add);
        return records;
      }
    }
    return List.of();
  }

  /** Acks all that was read. */
  void ack() {
    consumer.commitSync();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
