package io.idembox.runtime;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

/** A member of the soak's group, with a handler that takes a little time. */
final class SoakMember {
  private SoakMember() {}

  /**
   * Runs until SIGTERM.
   *
   * @param args brokers, JDBC URL, Redis URI, topic, name, group protocol, ordering
   */
  public static void main(String[] args) throws InterruptedException {
    HikariDataSource database = new HikariDataSource();
    database.setJdbcUrl(args[1]);
    database.setMaximumPoolSize(8);
    Map<String, Object> kafka =
        args[5].equals("classic")
            ? Map.of(
                "bootstrap.servers", args[0],
                "session.timeout.ms", "6000",
                "heartbeat.interval.ms", "1000")
            : Map.of("bootstrap.servers", args[0], "group.protocol", "consumer");
    InboxConsumer member =
        InboxConsumer.builder()
            .name(args[4])
            .kafka(kafka)
            .dataSource(database)
            .redis(args[2])
            .effects(new Sink(database))
            .subscribe(
                Subscription.topics(args[3])
                    .json(
                        Orders.Order.class,
                        (message, tx) -> {
                          try (Statement pause = tx.connection().createStatement()) {
                            pause.execute("select pg_sleep(0.002)");
                          }
                          Orders.book(message, tx);
                        }))
            .ordering(Ordering.valueOf(args[6]))
            .drainBudget(Duration.ofSeconds(3))
            .sweepInterval(Duration.ofMillis(500))
            .build();
    Insisting.run(member);
  }
}
