package io.idembox.demo.lab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.idembox.demo.stage.DemoFailure;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Sends many events to one topic. Not thread-safe. */
final class EventProducer implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final String topic;
  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

  EventProducer(String bootstrapServers, String topic) {
    this.topic = topic;
    this.producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.LINGER_MS_CONFIG,
                5,
                ProducerConfig.BATCH_SIZE_CONFIG,
                128 * 1024),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /**
   * Sends an event as JSON.
   *
   * @param key events of one key keep their order
   * @param messageId the header by which the inbox knows it
   * @param headers further ones
   */
  void send(String key, String messageId, Object event, Map<String, String> headers)
      throws DemoFailure {
    try {
      ProducerRecord<byte[], byte[]> record =
          new ProducerRecord<>(topic, utf8(key), JSON.writeValueAsBytes(event));
      record.headers().add("message-id", utf8(messageId));
      headers.forEach((name, value) -> record.headers().add(name, utf8(value)));
      send(record);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("an event cannot be written as JSON", impossible);
    }
  }

  /** Sends a record as it is. */
  void send(ProducerRecord<byte[], byte[]> record) throws DemoFailure {
    var unused =
        producer.send(
            record,
            (metadata, refused) -> {
              if (refused != null) {
                failure.compareAndSet(null, refused);
              }
            });
    refuseFailure();
  }

  /** Returns when the broker has all of them. */
  void flush() throws DemoFailure {
    producer.flush();
    refuseFailure();
  }

  private void refuseFailure() throws DemoFailure {
    Exception refused = failure.get();
    if (refused != null) {
      throw new DemoFailure("Kafka did not take an event of topic " + topic, refused);
    }
  }

  @Override
  public void close() {
    producer.close();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
