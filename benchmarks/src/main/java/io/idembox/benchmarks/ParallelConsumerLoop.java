package io.idembox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;

/** Confluent Parallel Consumer, ordered by key, with a transaction for each record. */
final class ParallelConsumerLoop implements Consumption {
  private static final int CONCURRENCY = 16;

  private final Progress progress;
  private final HikariDataSource pool;
  private final @Nullable SetNxGuard guard;
  private final ParallelStreamProcessor<byte[], byte[]> processor;

  ParallelConsumerLoop(Setting setting, Progress progress) {
    this.progress = progress;
    this.pool = setting.pool(CONCURRENCY);
    this.guard = setting.effects() == EffectMode.NONE ? null : new SetNxGuard(setting);
    this.processor =
        ParallelStreamProcessor.createEosStreamProcessor(
            ParallelConsumerOptions.<byte[], byte[]>builder()
                .ordering(ProcessingOrder.KEY)
                .maxConcurrency(CONCURRENCY)
                .consumer(new KafkaConsumer<>(setting.peersKafka(Setting.BATCH)))
                .build());
    processor.subscribe(List.of(setting.topic()));
    processor.poll(polled -> handle(polled.getSingleConsumerRecord()));
  }

  private void handle(ConsumerRecord<byte[], byte[]> record) {
    Order order = Order.of(record.value());
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      if (isNew(connection, record)) {
        try (PreparedStatement insert = connection.prepareStatement(BenchDatabase.INSERT_LEDGER)) {
          BenchDatabase.bind(insert, order);
          insert.executeUpdate();
        }
      }
      connection.commit();
    } catch (SQLException e) {
      progress.fail(e);
      throw new BenchmarkException("A record failed", e);
    }
    if (guard != null) {
      guard.once(order.orderId());
    }
    // Records of a partition end in no order, and one member gets none of them twice.
    progress.done(1);
  }

  private static boolean isNew(Connection connection, ConsumerRecord<byte[], byte[]> record)
      throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(BenchDatabase.INSERT_INBOX)) {
      insert.setObject(1, MessageIds.of(record));
      insert.setInt(2, record.partition());
      insert.setLong(3, record.offset());
      return insert.executeUpdate() == 1;
    }
  }

  @Override
  public void close() {
    processor.closeDrainFirst();
    pool.close();
    if (guard != null) {
      guard.close();
    }
  }
}
