package io.idembox.runtime;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** What a test wants to know from the database. */
final class DatabaseRows {
  private DatabaseRows() {}

  static boolean any(DataSource database, String sql) {
    return !strings(database, sql).isEmpty();
  }

  static void change(DataSource database, String sql) {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  static long count(DataSource database, String sql) {
    return Long.parseLong(strings(database, sql).get(0));
  }

  /** The first column of each row. */
  static List<String> strings(DataSource database, String sql) {
    List<String> found = new ArrayList<>();
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
