package io.idembox.inbox;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Whether the database can serve as an inbox at all; asked once, at start. */
final class DatabaseCheck {
  private static final int OLDEST = 140_000;

  private DatabaseCheck() {}

  static void run(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      check(connection, Address.of(connection));
    } catch (SQLException e) {
      throw new InboxUnavailableException(
          "PostgreSQL " + Address.of(dataSource) + "cannot be used: " + SqlErrors.describe(e), e);
    }
  }

  private static void check(Connection connection, String where) throws SQLException {
    try (Statement statement = connection.createStatement();
        // From the catalogue, which tells a role without any right too what is there. The last
        // is made by the newest migration that the statements need.
        ResultSet row =
            statement.executeQuery(
                """
                select current_setting('server_version_num')::int, current_setting('server_version'),
                  pg_is_in_recovery(), current_setting('transaction_read_only')::bool,
                  exists (select from pg_class c
                    where c.relnamespace = to_regnamespace('idembox')::oid and c.relname = 'inbox'),
                  exists (select from pg_class c
                    where c.relnamespace = to_regnamespace('idembox')::oid and c.relname = 'effect_to_sweep')
                """)) {
      row.next();
      if (row.getInt(1) < OLDEST) {
        throw new InboxUnavailableException(
            "PostgreSQL at "
                + where
                + " is version "
                + row.getString(2)
                + ": 14 or later is needed",
            null);
      }
      if (row.getBoolean(3)) {
        throw new InboxUnavailableException(
            "PostgreSQL at "
                + where
                + " is a standby: connect to the primary (targetServerType=primary)",
            null);
      }
      if (row.getBoolean(4)) {
        throw new InboxUnavailableException("PostgreSQL at " + where + " is read-only", null);
      }
      if (!row.getBoolean(5)) {
        throw new InboxSchemaMismatchException(
            "The database at "
                + where
                + " has no schema idembox: run 'idembox migrate', or IdemboxSchema.migrate()",
            null);
      }
      if (!row.getBoolean(6)) {
        throw new InboxSchemaMismatchException(
            "The schema idembox at "
                + where
                + " is older than this version needs: run 'idembox migrate', or"
                + " IdemboxSchema.migrate()",
            null);
      }
    }
  }
}
