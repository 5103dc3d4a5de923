package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The inbox's own statements around one transaction, each a single round trip: the driver sends the
 * parts of a text with semicolons together, and BEGIN with the first. Their text never changes, and
 * the server is told to keep one plan for it: left to itself it plans the claim anew for each
 * batch.
 */
final class InboxSession {
  /**
   * The server's timeline, which changes when a standby takes over. A standby has none to write on;
   * the claim is about to say so.
   */
  static final String TIMELINE =
      """
      case when pg_is_in_recovery() then 0
        else ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int end
      """;

  /**
   * Part one: the session's values for what is set here, our time-outs, and the server's timeline.
   * Part two: the claim. Two members that claim the same ids meet at the first of them in order, so
   * they wait instead of deadlocking; what waits for a running transaction inserts when that one
   * rolls back. Offsets inside stored done ranges are left out, because their rows may have been
   * pruned. Part three: the handler gets the session's own time-outs back.
   */
  private static final String BEGIN_AND_CLAIM =
      """
      select current_setting('idle_in_transaction_session_timeout'), current_setting('synchronous_commit'),
        set_config('idembox.lock_timeout', current_setting('lock_timeout'), true),
        set_config('idembox.statement_timeout', current_setting('statement_timeout'), true),
        set_config('idembox.plan_cache_mode', current_setting('plan_cache_mode'), true),
        set_config('lock_timeout', ?, true),
        set_config('statement_timeout', ?, true),
        set_config('plan_cache_mode', 'force_generic_plan', true),
        set_config('idle_in_transaction_session_timeout', ?, true),
        set_config('synchronous_commit',
          case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true),
        %s;
      with covered as materialized (
        select d.topic_id, d.partition, p.done
        from unnest(?::int2[], ?::int4[], ?::int8[], ?::int8[]) as d(topic_id, partition, lowest, highest)
        cross join lateral (
          select done from idembox.progress
          where consumer_id = ? and topic_id = d.topic_id and partition = d.partition
          offset 0) p
        where p.done && int8range(d.lowest, d.highest, '[]')
      )
      insert into idembox.inbox (consumer_id, message_id, topic_id, partition, "offset")
      select ?, c.id, c.topic_id, c.partition, c."offset"
      from unnest(?::uuid[], ?::int2[], ?::int4[], ?::int8[]) as c(id, topic_id, partition, "offset")
      where not exists (select from covered)
        or not exists (
          select from covered d
          where d.topic_id = c.topic_id and d.partition = c.partition and d.done @> c."offset")
      order by c.id
      on conflict (consumer_id, message_id) do nothing
      returning message_id;
      select set_config('lock_timeout', current_setting('idembox.lock_timeout'), true),
        set_config('statement_timeout', current_setting('idembox.statement_timeout'), true),
        set_config('plan_cache_mode', current_setting('idembox.plan_cache_mode'), true),
        exists (select from idembox.effect where consumer_id = ? and due_at is not null), %s
      """
          .formatted(TIMELINE, SessionSettings.LINE);

  /** The setting once more: a handler may have relaxed it. */
  private static final String COMMIT =
      """
      select %s, set_config('synchronous_commit',
        case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true);
      commit
      """
          .formatted(SessionSettings.LINE);

  private static final String OWN_TIMEOUTS =
      """
      select %s, set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true),
        set_config('plan_cache_mode', 'force_generic_plan', true)
      """
          .formatted(SessionSettings.LINE);

  private static final String IDLE_TIMEOUT = "idle_in_transaction_session_timeout";
  private static final String SYNCHRONOUS_COMMIT = "synchronous_commit";

  private final Connection connection;
  private final InboxConfig config;
  private String idleTimeoutBefore = "";
  private String synchronousCommitBefore = "";
  private String settingsBefore = "";
  private String settingsAfter = "";
  private int timeline;
  private boolean owesEffects;

  InboxSession(Connection connection, InboxConfig config) {
    this.connection = connection;
    this.config = config;
  }

  int timeline() {
    return timeline;
  }

  /** Whether the consumer had unfinished effects when the claim was through. */
  boolean owesEffects() {
    return owesEffects;
  }

  /** Begins, and answers which of the distinct ids are new. */
  BitSet beginAndClaim(short consumer, ClaimIndex claims) {
    try {
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw InboxStatementException.of(Phase.BEGIN, e);
    }
    try (PreparedStatement statement = connection.prepareStatement(BEGIN_AND_CLAIM)) {
      statement.setFetchSize(0);
      statement.setString(1, millis(config.lockTimeout()));
      statement.setString(2, millis(config.statementTimeout()));
      statement.setString(3, millis(config.idleInTransactionTimeout()));
      bindClaims(statement, consumer, claims);
      statement.execute();
      try (ResultSet before = statement.getResultSet()) {
        before.next();
        idleTimeoutBefore = before.getString(1);
        synchronousCommitBefore = before.getString(2);
        timeline = before.getInt(11);
      }
      BitSet fresh = new BitSet();
      statement.getMoreResults();
      try (ResultSet inserted = statement.getResultSet()) {
        while (inserted.next()) {
          fresh.set(claims.indexOf(inserted.getObject(1, UUID.class)));
        }
      }
      statement.getMoreResults();
      try (ResultSet settings = statement.getResultSet()) {
        settings.next();
        owesEffects = settings.getBoolean(4);
        settingsBefore = settings.getString(5);
        settingsAfter = settingsBefore;
      }
      return fresh;
    } catch (SQLException e) {
      throw InboxStatementException.of(Phase.CLAIM, e);
    }
  }

  private static void bindClaims(PreparedStatement statement, short consumer, ClaimIndex claims)
      throws SQLException {
    int n = claims.size();
    short[] topics = new short[n];
    int[] partitions = new int[n];
    long[] offsets = new long[n];
    DistinctPartitions distinct = new DistinctPartitions();
    for (int i = 0; i < n; i++) {
      InboxClaim claim = claims.distinct(i);
      topics[i] = (short) claim.topicId();
      partitions[i] = claim.partition();
      offsets[i] = claim.offset();
      distinct.add(topics[i], partitions[i], offsets[i]);
    }
    statement.setObject(4, distinct.topics());
    statement.setObject(5, distinct.partitions());
    statement.setObject(6, distinct.lowest());
    statement.setObject(7, distinct.highest());
    statement.setShort(8, consumer);
    statement.setShort(9, consumer);
    statement.setObject(10, claims.ids(), Types.OTHER);
    statement.setObject(11, topics);
    statement.setObject(12, partitions);
    statement.setObject(13, offsets);
    statement.setShort(14, consumer);
  }

  /** For the statements after the handler: its own time-outs end here. */
  void takeBackTimeouts() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OWN_TIMEOUTS)) {
      statement.setString(1, millis(config.lockTimeout()));
      statement.setString(2, millis(config.statementTimeout()));
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        settingsAfter = row.getString(1);
      }
    }
  }

  /**
   * Commits. When this returns, the database has answered.
   *
   * @param settingsTaken whether {@link #takeBackTimeouts} saw the handler's settings already
   */
  void commit(boolean settingsTaken) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COMMIT)) {
      statement.execute();
      try (ResultSet row = statement.getResultSet()) {
        row.next();
        if (!settingsTaken) {
          settingsAfter = row.getString(1);
        }
      }
    }
  }

  /** After the commit: what a handler changed in the session is put back. */
  void putBackSettings() throws SQLException {
    if (settingsAfter.equals(settingsBefore)) {
      return;
    }
    Map<String, String> before = SessionSettings.parse(settingsBefore);
    Map<String, String> changed =
        SessionSettings.changed(before, SessionSettings.parse(settingsAfter));
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
