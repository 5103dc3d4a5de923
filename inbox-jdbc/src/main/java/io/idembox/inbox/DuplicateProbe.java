package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * Asks, without a transaction, whether all messages of a batch are committed duplicates. A replay
 * comes in long runs of such batches, and each then costs one round trip instead of two. A row that
 * is not committed yet is not seen, so a batch that might be new always goes through the claim.
 */
final class DuplicateProbe {
  private static final String PROBE =
      """
      select bool_and(
          (select 1 from idembox.inbox i where i.consumer_id = ? and i.message_id = c.id limit 1) is not null),
        %s, %s
      from unnest(?::uuid[]) as c(id)
      """
          .formatted(SessionSql.HINTS, SessionSql.TIMELINE);

  private final short consumer;

  /** Whether the batch before held nothing new: one that does costs a probe for nothing. */
  private volatile boolean replaying;

  DuplicateProbe(short consumer) {
    this.consumer = consumer;
  }

  /** The run, if there is nothing new in it. The connection stays out of a transaction. */
  Optional<InboxRun> probe(Connection connection, ClaimIndex claims) {
    if (!replaying) {
      return Optional.empty();
    }
    try (PreparedStatement statement = connection.prepareStatement(PROBE)) {
      if (!connection.getAutoCommit()) {
        return Optional.empty();
      }
      for (int parameter = 1; parameter <= 1 + SessionSql.HINT_PARAMETERS; parameter++) {
        statement.setShort(parameter, consumer);
      }
      statement.setObject(2 + SessionSql.HINT_PARAMETERS, claims.ids(), Types.OTHER);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1)
            ? Optional.of(
                new InboxRun(
                    claims.all(),
                    new BitSet(0),
                    List.of(),
                    row.getInt(5),
                    row.getBoolean(2),
                    row.getBoolean(3)))
            : Optional.empty();
      }
    } catch (SQLException e) {
      throw InboxStatementException.of(Phase.CLAIM, e);
    }
  }

  void saw(BitSet fresh) {
    boolean nothing = fresh.isEmpty();
    if (replaying != nothing) {
      replaying = nothing;
    }
  }
}
