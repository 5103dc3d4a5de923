package io.idembox.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The application's own table. */
public final class Ledger {

  // No unique index on purpose: an order that is booked twice has to show as two rows.
  private static final String TABLE =
      """
      create table if not exists ledger (
        order_id text not null,
        amount numeric(12, 2) not null,
        recorded_at timestamptz not null default now()
      )
      """;

  private Ledger() {}

  /**
   * Creates the table unless it is there.
   *
   * @throws SQLException if the database cannot be reached or refuses
   */
  public static void createTable(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(TABLE);
    }
  }
}
