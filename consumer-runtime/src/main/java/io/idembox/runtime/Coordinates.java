package io.idembox.runtime;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** How a record is named in log lines and errors: {@code orders-0@17}. */
final class Coordinates {
  private Coordinates() {}

  static String of(ConsumerRecord<?, ?> record) {
    return of(record.topic(), record.partition(), record.offset());
  }

  static String of(String topic, int partition, long offset) {
    return topic + "-" + partition + "@" + offset;
  }
}
