package io.idembox.benchmarks;

import io.idembox.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes a topic and fills it. */
final class TopicLoader {
  private final EmbeddedKafka kafka;
  private final int partitions;
  private final int orders;

  TopicLoader(EmbeddedKafka kafka, int partitions, int orders) {
    this.kafka = kafka;
    this.partitions = partitions;
    this.orders = orders;
  }

  /** Returns when the broker has acknowledged all records. */
  void load(Topic topic) {
    kafka.createTopic(topic.topicName(), partitions);
    AtomicReference<Exception> failure = new AtomicReference<>();
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            kafka.bootstrapServers(),
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.LINGER_MS_CONFIG,
            20,
            ProducerConfig.BATCH_SIZE_CONFIG,
            64 << 10);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int n = 0; n < topic.records(orders); n++) {
        // The callback sees every outcome.
        Future<RecordMetadata> unused =
            producer.send(
                record(topic, n),
                (sent, problem) -> {
                  if (problem != null) {
                    failure.compareAndSet(null, problem);
                  }
                });
      }
      producer.flush();
    }
    if (failure.get() != null) {
      throw new BenchmarkException("Kafka did not take the records of " + topic, failure.get());
    }
  }

  private ProducerRecord<byte[], byte[]> record(Topic topic, int n) {
    long number = topic.number(n);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic.topicName(),
            topic.partition(n, partitions),
            utf8(topic.key(number)),
            Order.number(number).json());
    record.headers().add(MessageIds.HEADER, utf8(topic.id(number).toString()));
    return record;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
