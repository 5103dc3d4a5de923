package io.idembox.inbox;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads letters from rows. */
final class DeadLetterRows {
  private DeadLetterRows() {}

  static DeadLetter read(ResultSet row) throws SQLException {
    return new DeadLetter(
        row.getLong(1),
        DeadLetterState.of(row.getShort(2)),
        claim(row, 3),
        row.getString(7),
        new DeadLetterContent(
            row.getBytes(9), row.getBytes(10), HeaderBytes.read(row.getBytes(11)), instant(row, 8)),
        new DeadLetterError(
            row.getString(12), row.getString(13), row.getString(14), row.getString(15)),
        row.getInt(16),
        row.getInt(17),
        row.getObject(18, OffsetDateTime.class).toInstant(),
        row.getObject(19, OffsetDateTime.class).toInstant(),
        instant(row, 20));
  }

  /** Message id, topic, partition, offset, from a column on. */
  static InboxClaim claim(ResultSet row, int column) throws SQLException {
    return new InboxClaim(
        row.getObject(column, UUID.class),
        row.getInt(column + 1),
        row.getInt(column + 2),
        row.getLong(column + 3));
  }

  private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
