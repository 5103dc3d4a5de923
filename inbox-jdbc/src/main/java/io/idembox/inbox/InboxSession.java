package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The inbox's own statements around one transaction, and the session settings that it must leave as
 * found.
 */
final class InboxSession {
  private static final String IDLE_TIMEOUT = "idle_in_transaction_session_timeout";
  private static final String SYNCHRONOUS_COMMIT = "synchronous_commit";

  private final Connection connection;
  private final InboxConfig config;
  private String idleTimeoutBefore = "";
  private String synchronousCommitBefore = "";
  private String settingsBefore = "";
  private String settingsAfter = "";
  private boolean settingsTaken;
  private int timeline;
  private boolean owesEffects;
  private boolean openLetters;
  private boolean failedAttempts;

  InboxSession(Connection connection, InboxConfig config) {
    this.connection = connection;
    this.config = config;
  }

  int timeline() {
    return timeline;
  }

  /** Whether effects of the consumer were due when the claim was through. */
  boolean owesEffects() {
    return owesEffects;
  }

  /** Whether it had open dead letters. */
  boolean openLetters() {
    return openLetters;
  }

  /** Whether any of its records had failed and not been finished since. */
  boolean failedAttempts() {
    return failedAttempts;
  }

  /** Begins, and answers which messages are to be handled. */
  BitSet begin(short consumer, Opening opening) {
    try {
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw InboxStatementException.of(Phase.BEGIN, e);
    }
    try (PreparedStatement statement =
        connection.prepareStatement(
            opening.sql(), ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
      // All rows come at once, so that moving among them asks nobody.
      statement.setFetchSize(0);
      statement.setString(1, millis(config.lockTimeout()));
      statement.setString(2, millis(config.statementTimeout()));
      statement.setString(3, millis(config.idleInTransactionTimeout()));
      int next = opening.bind(statement, 4);
      for (int hint = 0; hint < SessionSql.HINT_PARAMETERS; hint++) {
        statement.setShort(next + hint, consumer);
      }
      statement.execute();
      try (ResultSet before = statement.getResultSet()) {
        before.next();
        idleTimeoutBefore = before.getString(1);
        synchronousCommitBefore = before.getString(2);
        timeline = before.getInt(3);
      }
      statement.getMoreResults();
      BitSet fresh;
      try (ResultSet rows = statement.getResultSet()) {
        fresh = opening.fresh(rows);
      }
      statement.getMoreResults();
      try (ResultSet after = statement.getResultSet()) {
        after.next();
        owesEffects = after.getBoolean(1);
        openLetters = after.getBoolean(2);
        failedAttempts = after.getBoolean(3);
        settingsBefore = after.getString(4);
        settingsAfter = settingsBefore;
      }
      return fresh;
    } catch (SQLException e) {
      throw InboxStatementException.of(opening.phase(), e);
    }
  }

  /** For the inbox's statements after the handler: its own time-outs end here. Once is enough. */
  void takeBackTimeouts() throws SQLException {
    if (settingsTaken) {
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(SessionSql.OWN_TIMEOUTS)) {
      statement.setString(1, millis(config.lockTimeout()));
      statement.setString(2, millis(config.statementTimeout()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        settingsAfter = row.getString(1);
        settingsTaken = true;
      }
    }
  }

  /** Commits. When this returns, the database has answered. */
  void commit() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SessionSql.COMMIT)) {
      statement.execute();
      try (ResultSet row = statement.getResultSet()) {
        row.next();
        if (!settingsTaken) {
          settingsAfter = row.getString(1);
        }
      }
    }
  }

  /** After the commit: what a handler changed in the session, unseen until then, is put back. */
  void putBackSettings() throws SQLException {
    if (settingsAfter.equals(settingsBefore)) {
      return;
    }
    Map<String, String> changed =
        SessionSettings.changed(
            SessionSettings.parse(settingsBefore), SessionSettings.parse(settingsAfter));
    // These two stood at our values, set for the transaction only.
    changed.replace(IDLE_TIMEOUT, idleTimeoutBefore);
    changed.replace(SYNCHRONOUS_COMMIT, synchronousCommitBefore);
    SessionSettings.set(connection, changed, false);
    connection.commit();
  }

  /**
   * Within the transaction, after one message: puts back what its handler changed.
   *
   * @param changed the values before, as the handler met them
   */
  void putBack(Map<String, String> changed) throws SQLException {
    Map<String, String> ofSession = new HashMap<>(changed);
    Map<String, String> ours = new HashMap<>();
    ourOwn(IDLE_TIMEOUT, idleTimeoutBefore, ofSession, ours);
    ourOwn(SYNCHRONOUS_COMMIT, synchronousCommitBefore, ofSession, ours);
    SessionSettings.set(connection, ofSession, false);
    SessionSettings.set(connection, ours, true);
  }

  /**
   * The handler met our value, which must not outlive the transaction: the session's is put
   * beneath.
   */
  private static void ourOwn(
      String name, String before, Map<String, String> ofSession, Map<String, String> ours) {
    String met = ofSession.replace(name, before);
    if (met != null) {
      ours.put(name, met);
    }
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
