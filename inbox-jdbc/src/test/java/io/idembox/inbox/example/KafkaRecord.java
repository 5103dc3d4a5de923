package io.idembox.inbox.example;

import io.idembox.inbox.InboundRecord;
import io.idembox.inbox.MessageHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A record of kafka-clients as the inbox wants to see it. */
record KafkaRecord(ConsumerRecord<byte[], byte[]> record, UUID topicId) implements InboundRecord {
  @Override
  public String topic() {
    return record.topic();
  }

  @Override
  public int partition() {
    return record.partition();
  }

  @Override
  public long offset() {
    return record.offset();
  }

  @Override
  public int leaderEpoch() {
    return record.leaderEpoch().orElse(-1);
  }

  @Override
  public long timestamp() {
    return record.timestamp();
  }

  @Override
  public byte @Nullable [] key() {
    return record.key();
  }

  @Override
  public byte @Nullable [] value() {
    return record.value();
  }

  @Override
  public MessageHeaders headers() {
    return name -> {
      List<byte @Nullable []> values = new ArrayList<>(1);
      record.headers().headers(name).forEach(header -> values.add(header.value()));
      return values;
    };
  }
}
