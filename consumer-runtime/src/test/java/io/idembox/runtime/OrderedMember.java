package io.idembox.runtime;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.effect.OnUnknown;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A consumer process with ordered effects, which ends itself in one of them. */
final class OrderedMember {
  private OrderedMember() {}

  static void createTable(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection
          .createStatement()
          .execute("create table performed(position bigserial, order_id text not null)");
    }
  }

  /**
   * Runs until SIGTERM, or until it dies.
   *
   * @param args brokers, JDBC URL, Redis URI, topic, name, in which effect to die
   */
  public static void main(String[] args) throws InterruptedException {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(args[1]);
    HikariDataSource database = new HikariDataSource(pool);
    int crashAt = Integer.parseInt(args[5]);
    AtomicInteger begun = new AtomicInteger();
    InboxConsumer consumer =
        InboxConsumer.builder()
            .name(args[4])
            .kafka(Map.of("bootstrap.servers", args[0], "session.timeout.ms", "6000"))
            .dataSource(database)
            .redis(args[2])
            .effects(
                new MailEffect(
                    OnUnknown.RETRY,
                    order -> {
                      perform(database, order);
                      if (begun.incrementAndGet() == crashAt) {
                        Runtime.getRuntime().halt(137);
                      }
                    }))
            .subscribe(
                Subscription.topics(args[3])
                    .json(Orders.Order.class, Orders::book)
                    .orderedEffects())
            .sweepInterval(Duration.ofMillis(200))
            .build();
    Insisting.run(consumer);
  }

  private static void perform(DataSource database, String order) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into performed(order_id) values (?)")) {
      insert.setString(1, order);
      insert.executeUpdate();
    }
  }
}
