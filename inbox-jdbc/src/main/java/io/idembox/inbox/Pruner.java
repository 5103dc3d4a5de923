package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Removes what may be forgotten, in slices that are short enough to run beside everything else;
 * whoever calls decides how much time lies between them. One member in the whole database prunes at
 * a time.
 *
 * <p>An inbox row goes only when its offset was in the done ranges one walk earlier (so its record
 * is skipped by them, whoever delivers it again), is older than the retention, counted from the
 * moment up to which the slowest partition was read (so a copy that waits in Kafka is still
 * recognised), and has no open dead letter. Rows outside of the ranges are never pruned, however
 * old. Of the journal, DONE and REJECTED go after the effect's own retention; HELD and FAILED
 * never.
 *
 * <p>Thread-safe.
 */
public final class Pruner {
  private final InboxConfig config;
  private final RegisteredConsumer consumer;
  private final PrunePolicy policy;

  Pruner(InboxConfig config, RegisteredConsumer consumer, PrunePolicy policy) {
    this.config = config;
    this.consumer = consumer;
    this.policy = policy;
  }

  /**
   * One slice, in one short transaction that does not wait for the disk: what a crash takes back is
   * pruned again.
   *
   * @param subscribed all partitions of the topics that the consumer reads now; no inbox row goes
   *     while one of them was not yet read up to a log end
   * @throws InboxStatementException if the database failed
   */
  public PruneReport slice(Collection<InboxPartition> subscribed) {
    try {
      return Sql.inTransaction(
          config.dataSource(), Phase.PRUNE, connection -> slice(connection, subscribed));
    } catch (InboxStatementException e) {
      if (SqlErrors.LOCK_NOT_AVAILABLE.equals(e.sqlState())) {
        // A row is being forgotten by hand, or a letter closed; the next slice sees what is left.
        return PruneReport.BUSY;
      }
      throw e;
    }
  }

  /** Where the walk stands. */
  private record Position(long block, long effectId, boolean roundDue) {}

  private PruneReport slice(Connection connection, Collection<InboxPartition> subscribed)
      throws SQLException {
    Position position = begin(connection);
    if (position == null) {
      return PruneReport.BUSY;
    }
    boolean walking = position.block() > 0 || position.roundDue();
    if (walking && position.block() == 0) {
      beginRound(connection);
    }
    OffsetDateTime cutoff = cutoff(connection, subscribed);
    int inboxRows = walking && cutoff != null ? inbox(connection, position.block(), cutoff) : 0;
    long size = blocks(connection);
    boolean finished = position.block() + policy.sliceBlocks() >= size;
    long nextEffect = lastEffect(connection, position.effectId());
    effects(connection, PruneSql.LOST_EFFECTS, position.effectId(), nextEffect);
    int effects = effects(connection, PruneSql.EFFECTS, position.effectId(), nextEffect);
    int letters = letters(connection);
    moveOn(
        connection,
        finished || !walking ? 0 : position.block() + policy.sliceBlocks(),
        nextEffect == Long.MAX_VALUE ? 0 : nextEffect);
    return new PruneReport(false, inboxRows, effects, letters, finished || !walking);
  }

  private @Nullable Position begin(Connection connection) throws SQLException {
    try (PreparedStatement begin = connection.prepareStatement(PruneSql.BEGIN)) {
      begin.execute();
      try (ResultSet row = begin.getResultSet()) {
        row.next();
        if (!row.getBoolean(1)) {
          return null;
        }
      }
    }
    try (PreparedStatement make = connection.prepareStatement(PruneSql.MAKE)) {
      make.setShort(1, consumer.id());
      make.executeUpdate();
    }
    try (PreparedStatement select = connection.prepareStatement(PruneSql.POSITION)) {
      select.setLong(1, policy.roundInterval().toMillis());
      select.setShort(2, consumer.id());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return new Position(row.getLong(1), row.getLong(2), row.getBoolean(3));
      }
    }
  }

  private void beginRound(Connection connection) throws SQLException {
    try (PreparedStatement ranges = connection.prepareStatement(PruneSql.BEGIN_ROUND)) {
      ranges.setShort(1, consumer.id());
      ranges.setShort(2, consumer.id());
      ranges.executeUpdate();
    }
    try (PreparedStatement round = connection.prepareStatement(PruneSql.COUNT_ROUND)) {
      round.setShort(1, consumer.id());
      round.executeUpdate();
    }
  }

  /** Null when a partition was not yet read up to a log end, or none is subscribed. */
  private @Nullable OffsetDateTime cutoff(
      Connection connection, Collection<InboxPartition> subscribed) throws SQLException {
    if (subscribed.isEmpty()) {
      return null;
    }
    try (PreparedStatement select = connection.prepareStatement(PruneSql.CUTOFF)) {
      select.setLong(1, policy.inboxRetention().toMillis());
      SqlArrays.bind(select, 2, subscribed);
      select.setShort(4, consumer.id());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getBoolean(1) ? row.getObject(2, OffsetDateTime.class) : null;
      }
    }
  }

  private int inbox(Connection connection, long block, OffsetDateTime cutoff) throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(PruneSql.INBOX)) {
      delete.setObject(1, tid(block), Types.OTHER);
      delete.setObject(2, tid(block + policy.sliceBlocks()), Types.OTHER);
      delete.setShort(3, consumer.id());
      delete.setObject(4, cutoff);
      return delete.executeUpdate();
    }
  }

  private static String tid(long block) {
    return "(" + block + ",0)";
  }

  private static long blocks(Connection connection) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(PruneSql.BLOCKS);
        ResultSet row = select.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  /** The last row of the next slice of the journal; {@link Long#MAX_VALUE} at its end. */
  private long lastEffect(Connection connection, long afterId) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(PruneSql.LAST_EFFECT)) {
      select.setLong(1, afterId);
      select.setInt(2, policy.sliceRows());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(2) < policy.sliceRows() ? Long.MAX_VALUE : row.getLong(1);
      }
    }
  }

  private int effects(Connection connection, String sql, long afterId, long upTo)
      throws SQLException {
    try (PreparedStatement slice = connection.prepareStatement(sql)) {
      slice.setLong(1, afterId);
      slice.setLong(2, upTo);
      slice.setString(3, consumer.namespace());
      return slice.executeUpdate();
    }
  }

  private int letters(Connection connection) throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(PruneSql.LETTERS)) {
      delete.setShort(1, consumer.id());
      delete.setLong(2, policy.closedLetterRetention().toMillis());
      delete.setInt(3, policy.sliceRows());
      return delete.executeUpdate();
    }
  }

  private void moveOn(Connection connection, long block, long effectId) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(PruneSql.MOVE_ON)) {
      update.setLong(1, block);
      update.setLong(2, effectId);
      update.setShort(3, consumer.id());
      update.executeUpdate();
    }
  }
}
