package io.idembox.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Session settings that a handler may have changed, and that the next user of the connection must
 * not inherit. The common ones are compared at each commit, within a statement that is sent anyway;
 * all of them when a handler was seen to change some.
 */
final class SessionSettings {
  /** Also the order of values in {@link #LINE}. */
  private static final List<String> WATCHED =
      List.of(
          "lock_timeout",
          "statement_timeout",
          "plan_cache_mode",
          "enable_seqscan",
          "idle_in_transaction_session_timeout",
          "synchronous_commit",
          "search_path",
          "role",
          "session_authorization",
          "session_replication_role",
          "row_security",
          "default_transaction_isolation",
          "default_transaction_read_only",
          "TimeZone",
          "DateStyle",
          "IntervalStyle",
          "bytea_output",
          "work_mem",
          "application_name");

  private static final char SEPARATOR = '\u001f';

  /** An SQL expression: the watched settings in one text. */
  static final String LINE =
      WATCHED.stream()
          .map(name -> "current_setting('" + name + "')")
          .collect(Collectors.joining(", ", "concat_ws(chr(31), ", ")"));

  private SessionSettings() {}

  static Map<String, String> parse(String line) {
    String[] values = line.split(String.valueOf(SEPARATOR), -1);
    Map<String, String> settings = new HashMap<>();
    for (int i = 0; i < WATCHED.size(); i++) {
      settings.put(WATCHED.get(i), values[i]);
    }
    return settings;
  }

  /** Everything that a session can change, and has. */
  static Map<String, String> snapshot(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(
                """
                select name, current_setting(name) from pg_settings
                where context in ('user', 'superuser') and name not like 'transaction%'
                """);
        ResultSet rows = select.executeQuery()) {
      Map<String, String> settings = new HashMap<>();
      while (rows.next()) {
        settings.put(rows.getString(1), rows.getString(2));
      }
      return settings;
    }
  }

  /** Those whose value differs, with the value they had before. */
  static Map<String, String> changed(Map<String, String> before, Map<String, String> after) {
    Map<String, String> changed = new HashMap<>();
    before.forEach(
        (name, value) -> {
          if (!value.equals(after.get(name))) {
            changed.put(name, value);
          }
        });
    return changed;
  }

  /**
   * Sets them.
   *
   * @param local until the end of the transaction only
   */
  static void set(Connection connection, Map<String, String> settings, boolean local)
      throws SQLException {
    try (PreparedStatement set = connection.prepareStatement("select set_config(?, ?, ?)")) {
      // The role first: the one that a handler took on may not be allowed to set the others.
      for (String name :
          settings.keySet().stream()
              .sorted((a, b) -> Boolean.compare(isRole(b), isRole(a)))
              .toList()) {
        set.setString(1, name);
        set.setString(2, settings.get(name));
        set.setBoolean(3, local);
        set.execute();
      }
    }
  }

  private static boolean isRole(String name) {
    return name.equals("role") || name.equals("session_authorization");
  }
}
