package io.idembox.inbox;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads SQLSTATEs, never message texts. */
final class SqlErrors {
  static final String IN_FAILED_TRANSACTION = "25P02";
  static final String LOCK_NOT_AVAILABLE = "55P03";
  static final String IDLE_IN_TRANSACTION = "25P03";
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

  /**
   * Whether a state tells of the server, of other transactions, or of the session, and nothing of
   * what was to be written: 55P03, 40001 and 40P01 come of other transactions; the rest is an
   * outage.
   */
  static boolean isNobodysFault(String state) {
    return state.equals(LOCK_NOT_AVAILABLE)
        || state.equals("40001")
        || state.equals("40P01")
        || state.startsWith("08")
        || state.startsWith("28")
        || state.startsWith("53")
        || state.startsWith("57P")
        || state.startsWith("58")
        || state.equals("3D000")
        || state.equals("25006")
        || state.equals(IDLE_IN_TRANSACTION);
  }

  /**
   * Whether a state tells of what was to be written: data, constraints, errors that a trigger
   * raised.
   */
  static boolean isOfTheData(String state) {
    return state.startsWith("22") || state.startsWith("23") || state.startsWith("P0");
  }

  private static String firstLine(@Nullable String text) {
    if (text == null) {
      return "no message";
    }
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
