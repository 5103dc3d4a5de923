package io.idembox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * What an expert writes for this very job: one transaction for each poll, which claims all ids in
 * one statement and inserts the ledger rows of the new ones in one batch. No retries, no dead
 * letters, no order between partitions and their owners after a rebalance: the limit, not a
 * product.
 */
final class HandTuned implements Consumption {
  private static final Duration POLL = Duration.ofMillis(100);

  private static final String CLAIM =
      """
      insert into bench.inbox (consumer_id, message_id, topic_id, partition, "offset")
      select 1, c.id, 1, c.partition, c."offset"
      from unnest(?::uuid[], ?::int4[], ?::int8[]) as c(id, partition, "offset")
      order by c.id
      on conflict do nothing
      returning message_id
      """;

  private final Progress progress;
  private final HikariDataSource pool;
  private final Loops loops;

  HandTuned(Setting setting, Progress progress, int threads) {
    this.progress = progress;
    this.pool = setting.pool(threads);
    this.loops = new Loops(setting, progress, threads, Setting.BATCH, this::turn);
  }

  private void turn(Consumer<byte[], byte[]> consumer) throws SQLException {
    ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
    if (polled.isEmpty()) {
      return;
    }
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      handle(connection, polled);
      connection.commit();
    }
    consumer.commitAsync();
    polled
        .nextOffsets()
        .forEach((partition, next) -> progress.doneUpTo(partition.partition(), next.offset()));
  }

  private static void handle(Connection connection, ConsumerRecords<byte[], byte[]> polled)
      throws SQLException {
    UUID[] ids = new UUID[polled.count()];
    int[] partitions = new int[ids.length];
    long[] offsets = new long[ids.length];
    int n = 0;
    for (ConsumerRecord<byte[], byte[]> record : polled) {
      ids[n] = MessageIds.of(record);
      partitions[n] = record.partition();
      offsets[n++] = record.offset();
    }
    Set<UUID> fresh = claim(connection, ids, partitions, offsets);
    if (fresh.isEmpty()) {
      return;
    }
    try (PreparedStatement insert = connection.prepareStatement(BenchDatabase.INSERT_LEDGER)) {
      n = 0;
      for (ConsumerRecord<byte[], byte[]> record : polled) {
        if (fresh.remove(ids[n++])) {
          BenchDatabase.bind(insert, Order.of(record.value()));
          insert.addBatch();
        }
      }
      insert.executeBatch();
    }
  }

  private static Set<UUID> claim(
      Connection connection, UUID[] ids, int[] partitions, long[] offsets) throws SQLException {
    Set<UUID> fresh = new HashSet<>(ids.length * 2);
    try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
      claim.setArray(1, connection.createArrayOf("uuid", ids));
      claim.setObject(2, partitions);
      claim.setObject(3, offsets);
      try (ResultSet rows = claim.executeQuery()) {
        while (rows.next()) {
          fresh.add(rows.getObject(1, UUID.class));
        }
      }
    }
    return fresh;
  }

  @Override
  public void close() {
    loops.close();
    pool.close();
  }
}
