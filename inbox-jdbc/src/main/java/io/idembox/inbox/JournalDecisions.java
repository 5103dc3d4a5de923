package io.idembox.inbox;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What people see of the journal, and decide. A decision is written here first, and then told to
 * the guard.
 *
 * <p>Thread-safe. All methods throw {@link InboxStatementException} when the database failed.
 */
public final class JournalDecisions {
  private static final String SELECT =
      """
      select e.id, e.name, e.effect_key, e.state, e.attempt, e.unknown_before, e.owner, e.due_at, e.created_at,
        e.settled_at, e.request, e.receipt, e.last_error, e.message_id, e.topic_id, e.partition, e."offset",
        case when e.queue is not null and e.due_at is not null then (
          select before.effect_key from idembox.effect before
          where before.namespace_id::int4 = e.namespace_id::int4 and before.waiting = e.queue and before.place < e.place
          order by before.place limit 1) end,
        e.retention_s
      from idembox.effect e
      """;

  private static final String OF_KEY =
      " where namespace_id = (select id from idembox.effect_namespace where name = ?) and key_hash"
          + " = ?";

  /** Nobody may be running it: a mark whose lease holds is respected, and DONE is final. */
  private static final String DECIDABLE =
      " and (state in (0, 3, 4, 5) or state = 1 and due_at <= clock_timestamp())";

  private static final String DONE =
      """
      update idembox.effect
      set state = 2, owner = null, due_at = null, sweep_at = null, listed = null, waiting = null,
        settled_at = clock_timestamp(), request = null, receipt = ?,
        receipt_format = case when ?::bytea is null then null else 1 end, last_error = ?
      """
          + OF_KEY
          + DECIDABLE;

  /** One that was given up lost its place: those behind it may have run, or be running. */
  private static final String NOT_DONE =
      """
      update idembox.effect
      set state = 0, owner = null, due_at = now(), sweep_at = now(), listed = null, waiting = queue,
        settled_at = null, attempt = 0, unknown_before = false, last_error = ?,
        place = case when queue is not null and state = 5 then nextval('idembox.effect_place') << 20 else place end
      """
          + OF_KEY
          + DECIDABLE
          + " and request is not null";

  private static final String FORGET =
      "delete from idembox.effect" + OF_KEY + " and (state <> 1 or due_at <= clock_timestamp())";

  private static final String HOLD_UNKNOWN =
      """
      update idembox.effect e
      set state = 4, owner = null, due_at = null, sweep_at = null, listed = 4, settled_at = clock_timestamp(),
        unknown_before = unknown_before or state in (1, 3),
        last_error = 'no member of the consumer knows this effect: register it, then resolve the key as not done'
      where namespace_id::int4 = (select id::int4 from idembox.effect_namespace where name = ?)
        and sweep_at < now() - ? * interval '1 millisecond'
        and name <> all(?)
      """
          + JournalSql.AND_FIRST_OF_ITS_QUEUE;

  private static final Set<EffectState> FOR_PEOPLE =
      EnumSet.of(EffectState.IN_DOUBT, EffectState.HELD, EffectState.FAILED, EffectState.REJECTED);

  private final InboxConfig config;
  private final RegisteredConsumer consumer;
  private final String[] known;

  JournalDecisions(InboxConfig config, RegisteredConsumer consumer, Set<String> known) {
    this.config = config;
    this.consumer = consumer;
    this.known = known.toArray(new String[0]);
  }

  /** What came of a decision. */
  public enum Decision {
    /** It stands. */
    APPLIED,
    /** The journal has no such effect. */
    NOT_FOUND,
    /** Somebody is performing it; try again when its lease has ended. */
    RUNNING,
    /** It is done, rejected, or lacks the request that a further run would need. */
    NOT_POSSIBLE
  }

  /** The effect of a key, whatever its state. */
  public Optional<JournalRow> find(EffectKey key) {
    return select(
            SELECT
                + " where e.namespace_id = (select id from idembox.effect_namespace where name = ?)"
                + " and e.key_hash = ?",
            statement -> {
              statement.setString(1, consumer.namespace());
              statement.setBytes(2, hash(key));
            })
        .stream()
        .findFirst();
  }

  /**
   * Effects of the namespace in the order of their ids.
   *
   * @param afterId 0 to begin with; then the last id seen
   */
  public List<JournalRow> list(Set<EffectState> states, long afterId, int limit) {
    short[] codes = new short[states.size()];
    int i = 0;
    for (EffectState state : states) {
      codes[i++] = state.code();
    }
    // Those for people are few and have an index, which the other states are not in.
    String state = FOR_PEOPLE.containsAll(states) ? "e.listed" : "e.state";
    return select(
        SELECT
            + " where e.namespace_id::int4 = (select id::int4 from idembox.effect_namespace where name = ?)"
            + " and "
            + state
            + " = any(?) and e.id > ? order by e.id limit ?",
        statement -> {
          statement.setString(1, consumer.namespace());
          statement.setObject(2, codes);
          statement.setLong(3, afterId);
          statement.setInt(4, limit);
        });
  }

  /**
   * It happened, says a person.
   *
   * @param receipt encoded, for later callers; null when there is none to give
   * @param by who, and why; kept with it
   */
  public Decision resolveDone(EffectKey key, byte @Nullable [] receipt, String by) {
    return decide(
        key,
        DONE,
        statement -> {
          statement.setBytes(1, receipt);
          statement.setBytes(2, receipt);
          statement.setString(3, Texts.storable("done: " + by));
          statement.setString(4, consumer.namespace());
          statement.setBytes(5, hash(key));
        });
  }

  /** It did not happen, says a person: it is due now, as if it had never been tried. */
  public Decision resolveNotDone(EffectKey key, String by) {
    return decide(
        key,
        NOT_DONE,
        statement -> {
          statement.setString(1, Texts.storable("not done: " + by));
          statement.setString(2, consumer.namespace());
          statement.setBytes(3, hash(key));
        });
  }

  /** The journal knows nothing of it any more; asked for again, it is performed again. */
  public Decision forget(EffectKey key) {
    return decide(
        key,
        FORGET,
        statement -> {
          statement.setString(1, consumer.namespace());
          statement.setBytes(2, hash(key));
        });
  }

  /**
   * Holds effects that have been due for long and whose name this process does not know: if another
   * member knew it, it would have taken them. Those whose mark was left behind by a member that
   * died are among them; they may have happened.
   *
   * @return how many
   */
  public int holdUnknown(Duration grace) {
    endFlights(config, consumer);
    return update(
        HOLD_UNKNOWN,
        statement -> {
          statement.setString(1, consumer.namespace());
          statement.setLong(2, grace.toMillis());
          statement.setArray(3, SqlArrays.texts(statement.getConnection(), known));
        });
  }

  /** Makes findable what members that fell silent left in flight. */
  static void endFlights(InboxConfig config, RegisteredConsumer consumer) {
    Sql.single(
        config.dataSource(),
        Phase.JOURNAL,
        connection -> {
          try (PreparedStatement end = connection.prepareStatement(JournalSql.END_FLIGHTS)) {
            end.setString(1, consumer.namespace());
            return end.executeUpdate();
          }
        });
  }

  private Decision decide(EffectKey key, String sql, Binder binder) {
    if (update(sql, binder) > 0) {
      return Decision.APPLIED;
    }
    Optional<JournalRow> row = find(key);
    if (row.isEmpty()) {
      return Decision.NOT_FOUND;
    }
    return row.get().state() == EffectState.STARTED ? Decision.RUNNING : Decision.NOT_POSSIBLE;
  }

  private byte[] hash(EffectKey key) {
    return key.hash(consumer.namespace()).bytes();
  }

  @FunctionalInterface
  private interface Binder {
    void bind(PreparedStatement statement) throws SQLException;
  }

  private int update(String sql, Binder binder) {
    return Sql.single(
        config.dataSource(),
        Phase.JOURNAL,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binder.bind(statement);
            return statement.executeUpdate();
          }
        });
  }

  private List<JournalRow> select(String sql, Binder binder) {
    return Sql.single(
        config.dataSource(),
        Phase.JOURNAL,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binder.bind(statement);
            try (ResultSet rows = statement.executeQuery()) {
              List<JournalRow> found = new ArrayList<>();
              while (rows.next()) {
                found.add(row(rows));
              }
              return found;
            }
          }
        });
  }

  private static JournalRow row(ResultSet row) throws SQLException {
    return new JournalRow(
        row.getLong(1),
        row.getString(2),
        EffectKey.fromCanonical(row.getBytes(3)),
        EffectState.of(row.getShort(4)),
        row.getInt(5),
        row.getBoolean(6),
        row.getString(7),
        instant(row, 8),
        row.getObject(9, OffsetDateTime.class).toInstant(),
        instant(row, 10),
        row.getBytes(11),
        row.getBytes(12),
        row.getString(13),
        new EffectJournal.Origin(
            row.getObject(14, UUID.class), row.getInt(15), row.getInt(16), row.getLong(17)),
        row.getBytes(18) == null ? null : EffectKey.fromCanonical(row.getBytes(18)),
        Duration.ofSeconds(row.getInt(19)));
  }

  private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
