package io.idembox.inbox;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Arrays as parameters: one statement text whatever the number of rows. */
final class SqlArrays {
  private SqlArrays() {}

  static Array texts(Connection connection, @Nullable String[] values) throws SQLException {
    return connection.createArrayOf("text", values);
  }

  static Array bytes(Connection connection, byte @Nullable [][] values) throws SQLException {
    return connection.createArrayOf("bytea", values);
  }

  /**
   * The text form: the driver would quote and copy each of them. Bind it as {@link
   * java.sql.Types#OTHER}, so that the server takes its type from {@code ?::uuid[]}: bound as a
   * string it would be cast at each execution.
   */
  static String uuids(Collection<UUID> values) {
    StringBuilder text = new StringBuilder(values.size() * 37 + 2).append('{');
    for (UUID value : values) {
      if (text.length() > 1) {
        text.append(',');
      }
      text.append(value);
    }
    return text.append('}').toString();
  }

  /** Topics and partitions as two parameters. */
  static void bind(
      PreparedStatement statement, int parameter, Collection<InboxPartition> partitions)
      throws SQLException {
    short[] topics = new short[partitions.size()];
    int[] numbers = new int[partitions.size()];
    int i = 0;
    for (InboxPartition partition : partitions) {
      topics[i] = (short) partition.topicId();
      numbers[i++] = partition.partition();
    }
    statement.setObject(parameter, topics);
    statement.setObject(parameter + 1, numbers);
  }
}
