package io.idembox.demo.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.idembox.demo.LedgerMailer;
import io.idembox.demo.stage.DemoFailure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends the planned records. */
final class OrderProducer {
  private static final JsonMapper JSON = new JsonMapper();

  private OrderProducer() {}

  /** Sends all in order and returns when the broker has them. */
  static void send(String bootstrapServers, List<PlannedRecord> records)
      throws DemoFailure, InterruptedException {
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            true,
            // The leader of a topic just made may refuse the first batch and take the second, which
            // puts the first out of sequence for ever. One at a time cannot overtake.
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
            1,
            ProducerConfig.LINGER_MS_CONFIG,
            5);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (PlannedRecord planned : records) {
        sent.add(producer.send(toRecord(planned)));
      }
      for (Future<RecordMetadata> answer : sent) {
        answer.get();
      }
    } catch (ExecutionException failure) {
      throw new DemoFailure("Kafka did not take an order", failure.getCause());
    }
  }

  private static ProducerRecord<byte[], byte[]> toRecord(PlannedRecord planned) {
    try {
      ProducerRecord<byte[], byte[]> message =
          new ProducerRecord<>(
              LedgerMailer.TOPIC, utf8(planned.orderId()), JSON.writeValueAsBytes(planned.event()));
      message.headers().add("message-id", utf8(planned.messageId().toString()));
      message.headers().add(LedgerMailer.TYPE_HEADER, utf8(planned.eventType()));
      return message;
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("an event cannot be written as JSON", impossible);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
