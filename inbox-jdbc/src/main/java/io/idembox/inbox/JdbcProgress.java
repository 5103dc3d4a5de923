package io.idembox.inbox;

import io.idembox.inbox.GrowthResult.Grown;
import io.idembox.inbox.GrowthResult.Stale;
import io.idembox.inbox.GrowthResult.Stale.Reason;
import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Progress in PostgreSQL, which computes unions and cuts itself: no member writes a set that it
 * read before.
 */
final class JdbcProgress implements Progress {
  private final DataSource dataSource;
  private final short consumer;

  JdbcProgress(DataSource dataSource, short consumer) {
    this.dataSource = dataSource;
    this.consumer = consumer;
  }

  @Override
  public List<PartitionProgress> read(List<InboxPartition> partitions) {
    if (partitions.isEmpty()) {
      return List.of();
    }
    return Sql.inTransaction(dataSource, Phase.PROGRESS, c -> read(c, partitions));
  }

  @Override
  public List<PartitionProgress> open(List<InboxPartition> partitions, UUID token) {
    if (partitions.isEmpty()) {
      return List.of();
    }
    return Sql.inTransaction(
        dataSource,
        Phase.PROGRESS,
        connection -> {
          List<PartitionProgress> before = read(connection, partitions);
          try (PreparedStatement open = connection.prepareStatement(ProgressSql.OPEN)) {
            SqlArrays.bind(open, 1, partitions);
            open.setShort(3, consumer);
            open.setObject(4, token);
            open.setShort(5, consumer);
            open.executeUpdate();
          }
          return before;
        });
  }

  @Override
  public void release(Collection<InboxPartition> partitions, UUID token) {
    if (partitions.isEmpty()) {
      return;
    }
    Sql.single(
        dataSource,
        Phase.PROGRESS,
        connection -> {
          try (PreparedStatement release = connection.prepareStatement(ProgressSql.RELEASE)) {
            SqlArrays.bind(release, 1, partitions);
            release.setShort(3, consumer);
            release.setShort(4, consumer);
            release.setObject(5, token);
            return release.executeUpdate();
          }
        });
  }

  @Override
  public List<GrowthResult> grow(List<ProgressGrowth> growths) {
    if (growths.isEmpty()) {
      return List.of();
    }
    return Sql.single(dataSource, Phase.PROGRESS, connection -> grow(connection, growths));
  }

  private List<GrowthResult> grow(Connection connection, List<ProgressGrowth> growths)
      throws SQLException {
    int n = growths.size();
    short[] topics = new short[n];
    int[] partitions = new int[n];
    String[] done = new String[n];
    String[] lost = new String[n];
    String[] skipped = new String[n];
    int[] generations = new int[n];
    int[] epochs = new int[n];
    int[] timelines = new int[n];
    Timestamp[] readUntil = new Timestamp[n];
    for (int i = 0; i < n; i++) {
      ProgressGrowth growth = growths.get(i);
      topics[i] = (short) growth.partition().topicId();
      partitions[i] = growth.partition().partition();
      done[i] = growth.done().toString();
      lost[i] = growth.lost().toString();
      skipped[i] = growth.skipped().toString();
      generations[i] = growth.generation();
      epochs[i] = growth.leaderEpoch();
      timelines[i] = growth.timeline();
      readUntil[i] = growth.readUntil() == null ? null : Timestamp.from(growth.readUntil());
    }
    try (PreparedStatement grow = connection.prepareStatement(ProgressSql.GROW)) {
      grow.setObject(1, topics);
      grow.setObject(2, partitions);
      grow.setArray(3, SqlArrays.texts(connection, done));
      grow.setArray(4, SqlArrays.texts(connection, lost));
      grow.setArray(5, SqlArrays.texts(connection, skipped));
      grow.setObject(6, generations);
      grow.setObject(7, epochs);
      grow.setObject(8, timelines);
      grow.setArray(9, connection.createArrayOf("timestamptz", readUntil));
      grow.setShort(10, consumer);
      grow.setShort(11, consumer);
      try (ResultSet rows = grow.executeQuery()) {
        List<GrowthResult> results = new ArrayList<>(n);
        while (rows.next()) {
          results.add(result(rows));
        }
        if (results.size() != n) {
          throw new IllegalStateException(
              "Progress was asked to grow for "
                  + n
                  + " partitions, of which "
                  + (n - results.size())
                  + " were never read or are named twice: read them first, and each once");
        }
        return results;
      }
    }
  }

  private static GrowthResult result(ResultSet row) throws SQLException {
    PartitionProgress progress = progress(row);
    if (!row.getBoolean(14)) {
      return new Stale(progress, Reason.GENERATION);
    }
    if (!row.getBoolean(15)) {
      return new Stale(progress, Reason.LEADER_EPOCH);
    }
    return row.getBoolean(16) ? new Grown(progress) : new Stale(progress, Reason.TIMELINE);
  }

  @Override
  public PartitionProgress cut(PartitionProgress known, long fromOffset, int leaderEpoch) {
    InboxPartition partition = known.partition();
    return Sql.inTransaction(
        dataSource,
        Phase.PROGRESS,
        connection -> {
          try (PreparedStatement update = connection.prepareStatement(ProgressSql.CUT)) {
            bindGone(update, OffsetRanges.of(fromOffset, Long.MAX_VALUE));
            update.setInt(6, leaderEpoch);
            update.setShort(7, consumer);
            update.setInt(8, partition.topicId());
            update.setInt(9, partition.partition());
            update.setInt(10, known.generation());
            update.setInt(11, known.leaderEpoch());
            update.setInt(12, leaderEpoch);
            update.executeUpdate();
          }
          return read(connection, List.of(partition)).get(0);
        });
  }

  @Override
  public long forget(InboxPartition partition, OffsetRanges offsets) {
    return Sql.inTransaction(
        dataSource,
        Phase.PROGRESS,
        connection -> {
          try (PreparedStatement update = connection.prepareStatement(ProgressSql.FORGET)) {
            bindGone(update, offsets);
            update.setShort(6, consumer);
            update.setInt(7, partition.topicId());
            update.setInt(8, partition.partition());
            update.executeUpdate();
          }
          try (PreparedStatement delete = connection.prepareStatement(ProgressSql.FORGET_ROWS)) {
            delete.setShort(1, consumer);
            delete.setInt(2, partition.topicId());
            delete.setInt(3, partition.partition());
            delete.setObject(4, offsets.toString(), Types.OTHER);
            return (long) delete.executeUpdate();
          }
        });
  }

  private static void bindGone(PreparedStatement update, OffsetRanges gone) throws SQLException {
    for (int parameter = 1; parameter <= 5; parameter++) {
      update.setObject(parameter, gone.toString(), Types.OTHER);
    }
  }

  private List<PartitionProgress> read(Connection connection, List<InboxPartition> partitions)
      throws SQLException {
    List<PartitionProgress> known = select(connection, partitions);
    if (known.size() < partitions.size()) {
      try (PreparedStatement make = connection.prepareStatement(ProgressSql.MAKE)) {
        make.setShort(1, consumer);
        SqlArrays.bind(make, 2, partitions);
        make.setShort(4, consumer);
        make.executeUpdate();
      }
      known = select(connection, partitions);
    }
    return known;
  }

  private List<PartitionProgress> select(Connection connection, List<InboxPartition> partitions)
      throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(ProgressSql.READ)) {
      SqlArrays.bind(read, 1, partitions);
      read.setShort(3, consumer);
      try (ResultSet rows = read.executeQuery()) {
        List<PartitionProgress> found = new ArrayList<>(partitions.size());
        while (rows.next()) {
          found.add(progress(rows));
        }
        return found;
      }
    }
  }

  private static PartitionProgress progress(ResultSet row) throws SQLException {
    return new PartitionProgress(
        new InboxPartition(row.getInt(1), row.getInt(2)),
        OffsetRanges.parse(row.getString(3)),
        OffsetRanges.parse(row.getString(4)),
        OffsetRanges.parse(row.getString(5)),
        row.getInt(6),
        row.getInt(7),
        row.getInt(8),
        row.getInt(9),
        instant(row, 10),
        row.getObject(11, UUID.class),
        row.getObject(12, OffsetDateTime.class).toInstant());
  }

  private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
