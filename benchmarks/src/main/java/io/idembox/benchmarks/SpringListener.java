package io.idembox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring Kafka's listener containers with an inbox table, as its users write it by hand. */
final class SpringListener implements Consumption {
  private static final int KAFKA_DEFAULT_POLL = 500;
  private static final int BATCH_CONCURRENCY = 4;

  private final Setting setting;
  private final Progress progress;
  private final HikariDataSource pool;
  private final JdbcTemplate jdbc;
  private final TransactionTemplate transactions;
  private final @Nullable SetNxGuard guard;
  private @Nullable ConcurrentMessageListenerContainer<byte[], byte[]> container;

  private SpringListener(Setting setting, Progress progress, int concurrency) {
    this.setting = setting;
    this.progress = progress;
    // The driver must tell which rows of a batch were inserted, so it may not rewrite them.
    this.pool = setting.pool(concurrency, false);
    this.jdbc = new JdbcTemplate(pool);
    this.transactions = new TransactionTemplate(new DataSourceTransactionManager(pool));
    this.guard = setting.effects() == EffectMode.NONE ? null : new SetNxGuard(setting);
  }

  /** One transaction for each record. */
  static SpringListener ofRecords(Setting setting, Progress progress, int concurrency) {
    SpringListener spring = new SpringListener(setting, progress, concurrency);
    spring.listen(
        KAFKA_DEFAULT_POLL,
        concurrency,
        (MessageListener<byte[], byte[]>) record -> spring.handle(record));
    return spring;
  }

  /** One transaction for each poll, with JDBC batches or with a statement for each row. */
  static SpringListener ofBatches(Setting setting, Progress progress, boolean jdbcBatches) {
    SpringListener spring = new SpringListener(setting, progress, BATCH_CONCURRENCY);
    spring.listen(
        Setting.BATCH,
        BATCH_CONCURRENCY,
        (BatchMessageListener<byte[], byte[]>) records -> spring.handle(records, jdbcBatches));
    return spring;
  }

  private void listen(int maxPollRecords, int concurrency, Object listener) {
    ContainerProperties properties = new ContainerProperties(setting.topic());
    properties.setMessageListener(listener);
    properties.setGroupId(setting.group());
    ConcurrentMessageListenerContainer<byte[], byte[]> listening =
        new ConcurrentMessageListenerContainer<>(
            new DefaultKafkaConsumerFactory<>(setting.peersKafka(maxPollRecords)), properties);
    listening.setConcurrency(concurrency);
    listening.start();
    container = listening;
  }

  private void handle(ConsumerRecord<byte[], byte[]> record) {
    transactions.executeWithoutResult(
        status -> {
          if (jdbc.update(BenchDatabase.INSERT_INBOX, inboxRow(record)) == 1) {
            Order order = Order.of(record.value());
            jdbc.update(BenchDatabase.INSERT_LEDGER, BenchDatabase.row(order));
            if (guard != null && setting.effects() == EffectMode.ONCE) {
              guard.once(order.orderId());
            }
          }
        });
    if (guard != null && setting.effects() != EffectMode.ONCE) {
      guard.once(Order.of(record.value()).orderId());
    }
    progress.doneUpTo(record.partition(), record.offset() + 1);
  }

  private void handle(List<ConsumerRecord<byte[], byte[]>> records, boolean jdbcBatches) {
    transactions.executeWithoutResult(
        status -> {
          if (jdbcBatches) {
            inBatches(records);
          } else {
            oneByOne(records);
          }
        });
    for (ConsumerRecord<byte[], byte[]> record : records) {
      progress.doneUpTo(record.partition(), record.offset() + 1);
    }
  }

  private void inBatches(List<ConsumerRecord<byte[], byte[]>> records) {
    int[] inserted =
        jdbc.batchUpdate(
            BenchDatabase.INSERT_INBOX, records.stream().map(SpringListener::inboxRow).toList());
    List<Object[]> rows = new ArrayList<>(records.size());
    for (int i = 0; i < inserted.length; i++) {
      if (inserted[i] == Statement.SUCCESS_NO_INFO) {
        throw new BenchmarkException("The driver does not tell which rows were inserted");
      }
      if (inserted[i] == 1) {
        rows.add(BenchDatabase.row(Order.of(records.get(i).value())));
      }
    }
    if (!rows.isEmpty()) {
      jdbc.batchUpdate(BenchDatabase.INSERT_LEDGER, rows);
    }
  }

  private void oneByOne(List<ConsumerRecord<byte[], byte[]>> records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      if (jdbc.update(BenchDatabase.INSERT_INBOX, inboxRow(record)) == 1) {
        jdbc.update(BenchDatabase.INSERT_LEDGER, BenchDatabase.row(Order.of(record.value())));
      }
    }
  }

  private static Object[] inboxRow(ConsumerRecord<byte[], byte[]> record) {
    return new Object[] {MessageIds.of(record), record.partition(), record.offset()};
  }

  @Override
  public void close() {
    if (container != null) {
      container.stop();
    }
    pool.close();
    if (guard != null) {
      guard.close();
    }
  }
}
