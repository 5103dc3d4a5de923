package io.idembox.runtime;

import io.idembox.inbox.InboundRecord;
import io.idembox.inbox.MessageHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** A Kafka record as the inbox sees it: no copy, only another face. */
record FetchedRecord(ConsumerRecord<byte[], byte[]> record, UUID topicId)
    implements InboundRecord, MessageHeaders {

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
  public byte @Nullable [] key() {
    return record.key();
  }

  @Override
  public byte @Nullable [] value() {
    return record.value();
  }

  @Override
  public MessageHeaders headers() {
    return this;
  }

  @Override
  public List<byte @Nullable []> values(String name) {
    List<byte @Nullable []> values = new ArrayList<>(1);
    for (Header header : record.headers()) {
      if (header.key().equals(name)) {
        values.add(header.value());
      }
    }
    return values;
  }

  /** Bytes of key and value. */
  long size() {
    return Math.max(0, record.serializedKeySize())
        + (long) Math.max(0, record.serializedValueSize());
  }
}
