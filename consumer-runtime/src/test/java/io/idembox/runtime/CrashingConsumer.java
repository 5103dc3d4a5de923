package io.idembox.runtime;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.RedisEffectStore;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;

/** A consumer process that tests start, and that ends itself at its crash point. */
final class CrashingConsumer {
  private static final Duration NEVER_IN_THIS_TEST = Duration.ofHours(1);

  private CrashingConsumer() {}

  /**
   * Runs until the crash point, or until SIGTERM.
   *
   * @param args brokers, JDBC URL, Redis URI, topic, name, crash point
   */
  public static void main(String[] args) throws InterruptedException {
    CrashPoint crashPoint = CrashPoint.valueOf(args[5]);
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(args[1]);
    HikariDataSource database = new HikariDataSource(pool);
    InboxConsumer consumer =
        InboxConsumer.builder()
            .name(args[4])
            .kafka(Map.of("bootstrap.servers", args[0], "session.timeout.ms", "6000"))
            .dataSource(database)
            .effectStore(
                new CrashingStore(
                    Insisting.connect(() -> RedisEffectStore.connect(args[2])), crashPoint))
            .effects(new Sink(database))
            .subscribe(Subscription.topics(args[3]).json(Orders.Order.class, Orders::book))
            .commitInterval(
                crashPoint == CrashPoint.BEFORE_THE_OFFSET
                    ? NEVER_IN_THIS_TEST
                    : Duration.ofMillis(50))
            .sweepInterval(Duration.ofMillis(200))
            .listener(
                report ->
                    System.out.printf(
                        "BATCH delivered=%d handled=%d skipped=%d%n",
                        report.delivered(), report.handled(), report.skipped()))
            .build();
    if (crashPoint == CrashPoint.BEFORE_THE_OFFSET) {
      Thread watch = new Thread(() -> crashOnceSettled(consumer, database));
      watch.setDaemon(true);
      watch.start();
    }
    Insisting.run(consumer);
  }

  private static void crashOnceSettled(InboxConsumer consumer, HikariDataSource database) {
    Awaitility.await()
        .forever()
        .ignoreExceptions()
        .until(
            () ->
                DatabaseRows.any(database, "select 1 from sent")
                    && consumer.unsettledEffects() == 0);
    CrashPoint.crash();
  }
}
