package io.idembox.runtime;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.inbox.InboxTransaction;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A member of a group under test: says when it begins a record, takes its time over it, and fails
 * over orders called "failing" and "killing".
 */
final class CaseMember {
  private CaseMember() {}

  /**
   * Runs until SIGTERM.
   *
   * @param args brokers, JDBC URL, Redis URI, topic, name, milliseconds for a record, seconds of
   *     the shutdown budget
   */
  public static void main(String[] args) throws InterruptedException {
    HikariDataSource database = new HikariDataSource();
    database.setJdbcUrl(args[1]);
    long millis = Long.parseLong(args[5]);
    InboxConsumer member =
        InboxConsumer.builder()
            .name(args[4])
            .kafka(
                Map.of(
                    "bootstrap.servers", args[0],
                    "session.timeout.ms", "6000",
                    "heartbeat.interval.ms", "1000"))
            .dataSource(database)
            .redis(args[2])
            .effects(new Sink(database))
            .maxAttempts(3)
            .retryBackoff(Duration.ofMillis(20), Duration.ofMillis(200))
            .subscribe(
                Subscription.topics(args[3])
                    .json(Orders.Order.class, (message, tx) -> handle(message, tx, millis)))
            .shutdownBudget(Duration.ofSeconds(Long.parseLong(args[6])))
            .build();
    Insisting.run(member);
  }

  private static void handle(InboxMessage<Orders.Order> message, InboxTransaction tx, long millis)
      throws Exception {
    System.out.println("HANDLE " + message.value().id());
    if (message.value().id().equals("killing")) {
      CrashPoint.crash();
    }
    if (millis > 0) {
      // Nobody counts it down: the record takes its time.
      boolean never = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
      if (never) {
        throw new IllegalStateException();
      }
    }
    if (message.value().id().equals("failing")) {
      throw new IllegalStateException("always fails");
    }
    Orders.book(message, tx);
  }
}
