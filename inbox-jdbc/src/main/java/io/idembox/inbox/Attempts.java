package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Failed attempts of records that stand alone; they survive a restart. {@link ConsumerInbox#run}
 * deletes those of the messages that it commits, a dead letter those of its message.
 *
 * <p>Thread-safe. All methods throw {@link InboxStatementException} when the database failed.
 */
public final class Attempts {
  private static final String FAILED =
      """
      insert into idembox.attempt as a (consumer_id, message_id, attempts, next_at, last_error)
      values (?, ?, 1, clock_timestamp() + ? * interval '1 millisecond', ?)
      on conflict (consumer_id, message_id) do update
        set attempts = a.attempts + 1, next_at = excluded.next_at, last_error = excluded.last_error,
          updated_at = clock_timestamp()
      returning attempts
      """;

  private static final String OF =
      """
      select message_id, attempts,
        greatest(0, (extract(epoch from next_at - clock_timestamp()) * 1000)::bigint), last_error
      from idembox.attempt where consumer_id = ? and message_id = any(?::uuid[])
      """;

  private static final String DELETE =
      "delete from idembox.attempt where consumer_id = ? and message_id = any(?::uuid[])";

  private final DataSource dataSource;
  private final short consumer;

  Attempts(DataSource dataSource, short consumer) {
    this.dataSource = dataSource;
    this.consumer = consumer;
  }

  /**
   * What is known about a message that failed.
   *
   * @param attempts so far, the first run included
   * @param dueIn until the next one; zero when it is due
   * @param lastError of the last one
   */
  public record Failed(int attempts, Duration dueIn, String lastError) {
    /** Both are required. */
    public Failed {
      requireNonNull(dueIn, "dueIn");
      requireNonNull(lastError, "lastError");
    }
  }

  /**
   * Notes a failed attempt; or, in careful mode and before it runs, one that may end the process.
   *
   * @param nextIn until the next attempt
   * @return how many there were, this one included
   */
  public int failed(UUID messageId, Duration nextIn, String error) {
    return Sql.single(
        dataSource,
        Phase.DEAD_LETTER,
        connection -> {
          try (PreparedStatement failed = connection.prepareStatement(FAILED)) {
            failed.setShort(1, consumer);
            failed.setObject(2, messageId);
            failed.setLong(3, nextIn.toMillis());
            failed.setString(4, requireNonNull(Texts.storable(error), "error"));
            try (ResultSet row = failed.executeQuery()) {
              row.next();
              return row.getInt(1);
            }
          }
        });
  }

  /** The messages among these that failed and were not finished since. */
  public Map<UUID, Failed> of(Collection<UUID> messageIds) {
    if (messageIds.isEmpty()) {
      return Map.of();
    }
    return Sql.single(
        dataSource,
        Phase.DEAD_LETTER,
        connection -> {
          try (PreparedStatement select = connection.prepareStatement(OF)) {
            select.setShort(1, consumer);
            select.setObject(2, SqlArrays.uuids(messageIds), Types.OTHER);
            Map<UUID, Failed> failed = new HashMap<>();
            try (ResultSet rows = select.executeQuery()) {
              while (rows.next()) {
                failed.put(
                    rows.getObject(1, UUID.class),
                    new Failed(
                        rows.getInt(2), Duration.ofMillis(rows.getLong(3)), rows.getString(4)));
              }
            }
            return failed;
          }
        });
  }

  /** Removes what is noted about these messages, outside of a transaction that handles them. */
  public void forget(Collection<UUID> messageIds) {
    Sql.single(
        dataSource,
        Phase.DEAD_LETTER,
        connection -> {
          delete(connection, consumer, messageIds);
          return messageIds.size();
        });
  }

  static void delete(Connection connection, short consumer, Collection<UUID> messageIds)
      throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
      delete.setShort(1, consumer);
      delete.setObject(2, SqlArrays.uuids(messageIds), Types.OTHER);
      delete.executeUpdate();
    }
  }
}
