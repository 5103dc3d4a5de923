package io.idembox.benchmarks;

import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Sees when the first records come out of any of this process's consumers: there the measured time
 * begins, whoever consumes, so that nobody's start and group join are measured.
 */
public final class FirstPoll implements ConsumerInterceptor<byte[], byte[]> {
  private static final AtomicReference<@Nullable Moment> FIRST = new AtomicReference<>();

  /** Forgets what was seen. */
  static void reset() {
    FIRST.set(null);
  }

  /** When it was. */
  static Moment moment() {
    Moment first = FIRST.get();
    if (first == null) {
      throw new BenchmarkException("No consumer has got any record");
    }
    return first;
  }

  @Override
  public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
    if (FIRST.get() == null && !records.isEmpty()) {
      FIRST.compareAndSet(null, Moment.now());
    }
    return records;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

  @Override
  public void configure(Map<String, ?> configs) {}

  @Override
  public void close() {}
}
