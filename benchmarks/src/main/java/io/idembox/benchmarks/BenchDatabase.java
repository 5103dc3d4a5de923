package io.idembox.benchmarks;

import io.idembox.migrations.IdemboxSchema;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

/** The tables of a contender: a ledger, an inbox for the peers, and Idembox's schema. */
final class BenchDatabase {
  static final String INSERT_LEDGER =
      "insert into bench.ledger (order_id, customer_id, amount_cents, currency) values (?, ?, ?, ?)";

  static final String INSERT_INBOX =
      """
      insert into bench.inbox (consumer_id, message_id, topic_id, partition, "offset")
      values (1, ?, 1, ?, ?) on conflict do nothing""";

  // The columns of Idembox's own, so that the comparison is about how it is written.
  private static final String TABLES =
      """
      create schema bench;
      create table bench.ledger (
        order_id text not null, customer_id text not null, amount_cents bigint not null, currency text not null);
      create table bench.inbox (
        recorded_at timestamptz not null default now(), "offset" bigint not null, message_id uuid not null,
        partition integer not null, consumer_id smallint not null, topic_id smallint not null,
        primary key (consumer_id, message_id))
      """;

  private static final long ROWS_AT_ONCE = 1_000_000;

  private static final String OLDER_ROWS =
      """
      insert into idembox.inbox (consumer_id, message_id, topic_id, partition, "offset")
      select c.id,
        (lpad(to_hex(%d + i / %d), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8'
          || substr(md5(i::text), 4, 15))::uuid,
        t.id, i %% 8, i
      from generate_series(%d, %d) as i, idembox.consumer c, idembox.topic t
      where c.name = '%s' and t.name = '%s'
      order by i
      """;

  private final String jdbcUrl;

  BenchDatabase(String jdbcUrl) {
    this.jdbcUrl = jdbcUrl;
  }

  static void create(DataSource database) {
    IdemboxSchema.of(database).migrate();
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(TABLES);
    } catch (SQLException e) {
      throw new BenchmarkException("The tables could not be made", e);
    }
  }

  static void bind(PreparedStatement insert, Order order) throws SQLException {
    insert.setString(1, order.orderId());
    insert.setString(2, order.customerId());
    insert.setLong(3, order.amountCents());
    insert.setString(4, order.currency());
  }

  static Object[] row(Order order) {
    return new Object[] {
      order.orderId(), order.customerId(), order.amountCents(), order.currency()
    };
  }

  /** Empties all tables, and leaves no dirty pages to be written on somebody's time. */
  void reset() {
    execute(
        """
        truncate bench.ledger, bench.inbox;
        truncate idembox.inbox, idembox.effect, idembox.effect_flight, idembox.dead_letter, idembox.attempt, idembox.progress
        """);
    settle();
  }

  /** Brings the planner's knowledge and the pages on disk up to date. */
  void settle() {
    execute("analyze bench.ledger, bench.inbox, idembox.inbox");
    execute("checkpoint");
  }

  /**
   * Fills the inbox with rows of a consumer as they would be there after a long time: their ids are
   * older than those of all orders, and grow.
   *
   * @throws BenchmarkException if there is no such consumer or topic
   */
  void addOlderRows(String consumer, String topic, long rows) {
    long added = 0;
    for (long from = 0; from < rows; from += ROWS_AT_ONCE) {
      added +=
          execute(
              OLDER_ROWS.formatted(
                  Order.FIRST_ID_MS - rows / Order.IDS_IN_A_MS - 1,
                  Order.IDS_IN_A_MS,
                  from,
                  Math.min(rows, from + ROWS_AT_ONCE) - 1,
                  consumer,
                  topic));
    }
    if (added != rows) {
      throw new BenchmarkException(added + " older rows were added; expected " + rows);
    }
    execute("vacuum analyze idembox.inbox");
    execute("checkpoint");
  }

  /** Takes the orders out again, and leaves older rows as they are. */
  void removeOrders(String topic) {
    execute("truncate bench.ledger");
    execute(
        """
        delete from idembox.inbox
        where consumer_id = any(array(select id from idembox.consumer)) and message_id >= '%s'"""
            .formatted(new UUID(Order.FIRST_ID_MS << 16, 0)));
    forgetProgress(topic);
    // Else the claim would meet the dead rows of the pass before.
    execute("vacuum idembox.inbox");
    execute("checkpoint");
  }

  /** Forgets which offsets of a topic are done, so that only the ids tell. */
  void forgetProgress(String topic) {
    execute(
        "delete from idembox.progress where topic_id in (select id from idembox.topic where name = '"
            + topic
            + "')");
  }

  /**
   * Compares the ledger with the orders that were sent.
   *
   * @throws BenchmarkException if one has no row, or more than one
   */
  void verifyLedger(Topic topic, int records) {
    long amount = 0;
    for (int n = 0; n < records; n++) {
      amount += Order.amount(topic.number(n));
    }
    String expected = records + " rows, " + records + " orders, amount " + amount;
    String found =
        ask(
            "select count(*) || ' rows, ' || count(distinct order_id) || ' orders, amount '"
                + " || coalesce(sum(amount_cents), 0) from bench.ledger");
    if (!found.equals(expected)) {
      throw new BenchmarkException("The ledger has " + found + "; expected " + expected);
    }
  }

  /**
   * Checks that the journal owes nothing.
   *
   * @throws BenchmarkException if an effect is not done
   */
  void verifyJournal(int entries) {
    String found =
        ask("select count(*) || ' of ' || count(*) filter (where state = 2) from idembox.effect");
    if (!found.equals(entries + " of " + entries)) {
      throw new BenchmarkException(
          "The journal has " + found + " entries done; expected " + entries);
    }
  }

  private String ask(String sql) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new BenchmarkException("The database did not answer: " + sql, e);
    }
  }

  /** Returns how many rows it changed, if it says so. */
  private long execute(String sql) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
      return statement.getLargeUpdateCount();
    } catch (SQLException e) {
      throw new BenchmarkException("The database refused: " + sql, e);
    }
  }
}
