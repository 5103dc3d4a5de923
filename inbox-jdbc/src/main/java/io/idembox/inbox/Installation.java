package io.idembox.inbox;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Which database this is, and which Kafka cluster it belongs to. */
final class Installation {
  private static final int ROWS = 1_000;

  private final DataSource dataSource;

  Installation(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** The row, locked. */
  private record Row(UUID id, @Nullable String cluster) {}

  void bind(String cluster) {
    Sql.inTransaction(
        dataSource,
        Phase.REGISTER,
        connection -> {
          Row row = lock(connection);
          if (row.cluster() == null) {
            set(connection, row.id(), cluster);
          } else if (!row.cluster().equals(cluster)) {
            throw new ClusterMismatchException(row.cluster(), cluster);
          }
          return row;
        });
  }

  void adopt(String cluster, ClusterChange change) {
    Sql.inTransaction(
        dataSource,
        Phase.REGISTER,
        connection -> {
          Row row = lock(connection);
          if (cluster.equals(row.cluster())) {
            return row;
          }
          UUID id = change == ClusterChange.COPY ? UUID.randomUUID() : row.id();
          set(connection, id, cluster);
          if (change == ClusterChange.COPY) {
            renameNamespaces(connection, row.id(), id);
          }
          return row;
        });
  }

  private static Row lock(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(
                "select id, kafka_cluster_id from idembox.installation for update");
        ResultSet row = select.executeQuery()) {
      row.next();
      return new Row(row.getObject(1, UUID.class), row.getString(2));
    }
  }

  private static void set(Connection connection, UUID id, String cluster) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "update idembox.installation set id = ?, kafka_cluster_id = ?")) {
      update.setObject(1, id);
      update.setString(2, cluster);
      update.executeUpdate();
    }
  }

  /**
   * Those that were made from the installation id; one that was chosen by hand is shared on
   * purpose.
   */
  private static void renameNamespaces(Connection connection, UUID from, UUID to)
      throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "select id, name from idembox.effect_namespace where right(name, 37) = '@' || ?")) {
      select.setString(1, from.toString());
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          String name = rows.getString(2);
          rename(
              connection,
              rows.getShort(1),
              name.substring(0, name.length() - from.toString().length()) + to);
        }
      }
    }
  }

  private static void rename(Connection connection, short namespace, String name)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("update idembox.effect_namespace set name = ? where id = ?")) {
      update.setString(1, name);
      update.setShort(2, namespace);
      update.executeUpdate();
    }
    long after = 0;
    while (after >= 0) {
      after = rehash(connection, namespace, name, after);
    }
  }

  /** The hash of a key holds its namespace. Answers the last row's id, or -1 at the end. */
  private static long rehash(Connection connection, short namespace, String name, long after)
      throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(
                """
                select id, effect_key from idembox.effect
                where namespace_id = ? and id > ? order by id limit ?
                """);
        PreparedStatement update =
            connection.prepareStatement("update idembox.effect set key_hash = ? where id = ?")) {
      select.setShort(1, namespace);
      select.setLong(2, after);
      select.setInt(3, ROWS);
      long last = -1;
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          last = rows.getLong(1);
          update.setBytes(1, EffectKey.fromCanonical(rows.getBytes(2)).hash(name).bytes());
          update.setLong(2, last);
          update.addBatch();
        }
      }
      if (last >= 0) {
        update.executeBatch();
      }
      return last;
    }
  }
}
