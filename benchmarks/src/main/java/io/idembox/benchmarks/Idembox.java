package io.idembox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxTransaction;
import io.idembox.runtime.BatchInboxHandler;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.InboxConsumerBuilder;
import io.idembox.runtime.InboxHandler;
import io.idembox.runtime.InboxMessage;
import io.idembox.runtime.PartitionStatus;
import io.idembox.runtime.Subscription;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Idembox as its users write it, with its default settings. */
final class Idembox implements Consumption {
  private static final int CONCURRENCY = 4;
  // One for each lane, and a few for the sweeper and the start.
  private static final int CONNECTIONS = CONCURRENCY + 4;
  private static final long LOOK_EVERY_MS = 3;

  private final HikariDataSource pool;
  private final InboxConsumer consumer;
  private final Progress progress;
  private final Thread watcher;

  private Idembox(Setting setting, Progress progress, Subscription subscription) {
    this.progress = progress;
    this.pool = setting.pool(CONNECTIONS);
    InboxConsumerBuilder builder =
        InboxConsumer.builder()
            .name(setting.name())
            .groupId(setting.group())
            .kafka(setting.kafka())
            .dataSource(pool)
            .concurrency(CONCURRENCY)
            .subscribe(subscription);
    if (setting.effects() != EffectMode.NONE) {
      builder.redis(setting.redisUri()).effects(new BenchEffect(setting));
    }
    this.consumer = builder.build();
    consumer.start();
    this.watcher = new Thread(this::watch, "progress");
    watcher.setDaemon(true);
    watcher.start();
  }

  /** A handler of single messages whose writes combine. */
  static Idembox enqueue(Setting setting, Progress progress) {
    InboxHandler<Order> handler =
        (message, tx) -> {
          Order order = Objects.requireNonNull(message.value());
          tx.enqueue(
              BenchDatabase.INSERT_LEDGER,
              order.orderId(),
              order.customerId(),
              order.amountCents(),
              order.currency());
          askForEffect(setting.effects(), order, tx);
        };
    return new Idembox(
        setting, progress, Subscription.topics(setting.topic()).json(Order.class, handler));
  }

  /** A handler of single messages that executes its statement at once. */
  static Idembox statements(Setting setting, Progress progress) {
    InboxHandler<Order> handler =
        (message, tx) ->
            tx.handle()
                .execute(
                    BenchDatabase.INSERT_LEDGER,
                    BenchDatabase.row(Objects.requireNonNull(message.value())));
    return new Idembox(
        setting, progress, Subscription.topics(setting.topic()).json(Order.class, handler));
  }

  /** A handler of lists. */
  static Idembox batch(Setting setting, Progress progress) {
    BatchInboxHandler<Order> handler = (messages, tx) -> insertAll(messages, tx);
    return new Idembox(
        setting, progress, Subscription.topics(setting.topic()).jsonBatches(Order.class, handler));
  }

  private static void insertAll(List<InboxMessage<Order>> messages, InboxTransaction tx)
      throws SQLException {
    try (PreparedStatement insert = tx.connection().prepareStatement(BenchDatabase.INSERT_LEDGER)) {
      for (InboxMessage<Order> message : messages) {
        BenchDatabase.bind(insert, Objects.requireNonNull(message.value()));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  private static void askForEffect(EffectMode mode, Order order, InboxTransaction tx) {
    if (mode == EffectMode.NONE) {
      return;
    }
    EffectKey key = EffectKey.of("bench.notice").id(order.orderId());
    BenchEffect.Request request = new BenchEffect.Request(order.orderId(), order.amountCents());
    if (mode == EffectMode.ONCE) {
      tx.effects().once(BenchEffect.NAME, key, request);
    } else {
      tx.effects().afterCommit(BenchEffect.NAME, key, request);
    }
  }

  /** What is finished is committed, with all its effects settled: also what was only skipped. */
  private void watch() {
    try {
      while (!progress.isOver()) {
        for (PartitionStatus partition : consumer.status().partitions()) {
          if (partition.stall().isPresent()) {
            throw new BenchmarkException("Idembox stands: " + partition);
          }
          partition
              .finishedOffset()
              .ifPresent(next -> progress.doneUpTo(partition.partition(), next));
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      progress.fail(e);
    }
  }

  @Override
  public void close() {
    watcher.interrupt();
    consumer.close();
    pool.close();
  }
}
