package io.idembox.inbox;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A record as a broker would hand it out. */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
record TestRecord(
    String topic,
    UUID topicId,
    int partition,
    long offset,
    byte @Nullable [] key,
    byte @Nullable [] value,
    List<Header> entries,
    int leaderEpoch,
    long timestamp)
    implements InboundRecord {
  static final UUID ORDERS = UUID.fromString("6a1bd4d3-57b4-4a5c-9c30-1d9c2a6f0001");

  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record Header(String name, byte @Nullable [] value) {}

  static TestRecord at(int partition, long offset) {
    return new TestRecord("orders", ORDERS, partition, offset, null, null, List.of(), -1, -1);
  }

  TestRecord header(String name, @Nullable String value) {
    return header(name, value == null ? null : value.getBytes(StandardCharsets.UTF_8));
  }

  TestRecord header(String name, byte @Nullable [] value) {
    List<Header> more = new ArrayList<>(entries);
    more.add(new Header(name, value));
    return new TestRecord(
        topic, topicId, partition, offset, key, this.value, more, leaderEpoch, timestamp);
  }

  TestRecord value(@Nullable String text) {
    byte[] bytes = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    return new TestRecord(
        topic, topicId, partition, offset, key, bytes, entries, leaderEpoch, timestamp);
  }

  TestRecord time(long millis) {
    return new TestRecord(
        topic, topicId, partition, offset, key, value, entries, leaderEpoch, millis);
  }

  TestRecord epoch(int epoch) {
    return new TestRecord(topic, topicId, partition, offset, key, value, entries, epoch, timestamp);
  }

  TestRecord topic(String name, UUID id) {
    return new TestRecord(name, id, partition, offset, key, value, entries, leaderEpoch, timestamp);
  }

  @Override
  public MessageHeaders headers() {
    return name -> {
      List<byte[]> values = new ArrayList<>();
      for (Header header : entries) {
        if (header.name().equals(name)) {
          values.add(header.value());
        }
      }
      return values;
    };
  }
}
