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
    return sendRaw(topic, partition, messageId, "{\"id\":\"" + orderId + "\",\"amount\":7}");
  }

  Orders sendRaw(String topic, int partition, @Nullable String messageId, String value) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic, partition, (byte[]) null, value.getBytes(StandardCharsets.UTF_8));
    if (messageId != null) {
      record.headers().add("message-id", messageId.getBytes(StandardCharsets.UTF_8));
    }
    sent.add(producer.send(record));
    return this;
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
