package io.idembox.runtime;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Where a partition is read from when neither its group's committed offset nor the database says
 * so: at the very first start. Kafka's own reset is switched off underneath, since it jumps without
 * a word.
 */
public final class StartPosition {
  /** From the oldest record that the topic still holds. The default: nothing is passed over. */
  public static final StartPosition EARLIEST = new StartPosition("EARLIEST", null);

  /**
   * From the records that come after the first start; what is there already is not read, and is
   * counted as jumped. Partitions that are added later are read from their beginning.
   */
  public static final StartPosition LATEST = new StartPosition("LATEST", null);

  private final String name;
  private final @Nullable Instant time;

  private StartPosition(String name, @Nullable Instant time) {
    this.name = name;
    this.time = time;
  }

  /** From the first record whose timestamp is at or after the time; after the last if none is. */
  public static StartPosition at(Instant time) {
    return new StartPosition(time.toString(), Objects.requireNonNull(time, "time"));
  }

  /** The offset between the log's begin and end. */
  long in(Consumer<?, ?> consumer, TopicPartition partition, long begin, long end, Duration limit) {
    if (time != null) {
      OffsetAndTimestamp found =
          consumer.offsetsForTimes(Map.of(partition, time.toEpochMilli()), limit).get(partition);
      return found == null ? end : found.offset();
    }
    return equals(LATEST) ? end : begin;
  }

  /** {@code EARLIEST}, {@code LATEST}, or the time. */
  @Override
  public String toString() {
    return name;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StartPosition position && name.equals(position.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}
