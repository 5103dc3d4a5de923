package io.idembox.inbox;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads SQLSTATEs, never message texts. */
final class SqlErrors {
  static final String IN_FAILED_TRANSACTION = "25P02";
  static final String UNDEFINED_TABLE = "42P01";
  static final String INVALID_SCHEMA = "3F000";

  private SqlErrors() {}

  static String describe(SQLException e) {
    return "SQLSTATE " + e.getSQLState() + ", " + firstLine(e.getMessage());
  }

  static boolean is(SQLException e, String state) {
    return state.equals(e.getSQLState());
  }

  /** Whether the connection is gone, so that nobody knows whether the last command took effect. */
  static boolean isConnectionLost(SQLException e) {
    String state = e.getSQLState();
    return state == null
        || state.startsWith("08")
        || state.startsWith("57P")
        || state.startsWith("58");
  }

  private static String firstLine(@Nullable String text) {
    if (text == null) {
      return "no message";
    }
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
