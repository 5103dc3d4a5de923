package io.idembox.runtime;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxTransaction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Test orders: how they are produced, and the handler that books and mails them. */
final class Orders implements AutoCloseable {
  private final KafkaProducer<byte[], byte[]> producer;
  private final List<Future<RecordMetadata>> sent = new ArrayList<>();

  record Order(String id, int amount) {}

  Orders(String bootstrapServers) {
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers, "linger.ms", "5"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /** Books the order in the ledger, and asks for its mail. */
  static void book(InboxMessage<Order> message, InboxTransaction tx) {
    Order order = message.value();
    tx.enqueue("insert into ledger(order_id, message_id) values (?, ?)", order.id(), message.id());
    tx.effects()
        .afterCommit(
            Sink.MAIL, EffectKey.of("mail.invoice").id(order.id()), new Sink.Mail(order.id()));
  }

  Orders send(String topic, int partition, String messageId, String orderId) {
    return sendRaw(topic, partition, messageId, json(orderId));
  }

  Orders sendTyped(String topic, int partition, String messageId, String type, String orderId) {
    ProducerRecord<byte[], byte[]> record = record(topic, partition, messageId, json(orderId));
    record.headers().add("event-type", bytes(type));
    return send(record);
  }

  Orders sendKeyed(String topic, int partition, String key, String messageId, String orderId) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, partition, bytes(key), bytes(json(orderId)));
    record.headers().add("message-id", bytes(messageId));
    return send(record);
  }

  Orders sendTraced(
      String topic, int partition, String messageId, String traceParent, String orderId) {
    ProducerRecord<byte[], byte[]> record = record(topic, partition, messageId, json(orderId));
    record.headers().add("traceparent", bytes(traceParent));
    return send(record);
  }

  Orders sendTombstone(String topic, int partition, String messageId) {
    return send(record(topic, partition, messageId, null));
  }

  Orders sendRaw(String topic, int partition, @Nullable String messageId, String value) {
    return send(record(topic, partition, messageId, value));
  }

  /** A record of bytes, with each of the headers. */
  Orders sendBytes(
      String topic,
      int partition,
      byte @Nullable [] key,
      byte @Nullable [] value,
      Map<String, byte[]> headers) {
    ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, partition, key, value);
    headers.forEach((name, header) -> record.headers().add(name, header));
    return send(record);
  }

  private Orders send(ProducerRecord<byte[], byte[]> record) {
    sent.add(producer.send(record));
    return this;
  }

  private static ProducerRecord<byte[], byte[]> record(
      String topic, int partition, @Nullable String messageId, @Nullable String value) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, partition, null, value == null ? null : bytes(value));
    if (messageId != null) {
      record.headers().add("message-id", bytes(messageId));
    }
    return record;
  }

  private static String json(String orderId) {
    return "{\"id\":\"" + orderId + "\",\"amount\":7}";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Waits until the broker has all of them. */
  void flush() throws ExecutionException, InterruptedException {
    producer.flush();
    for (Future<RecordMetadata> each : sent) {
      each.get();
    }
    sent.clear();
  }

  @Override
  public void close() {
    producer.close();
  }
}
