package io.idembox.inbox;

import io.idembox.inbox.InboxStatementException.Phase;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Begins the retry of a dead letter: its row is locked, and read under the lock. */
final class LetterOpening implements Opening {
  private static final String SQL = SessionSql.opening(DeadLetterSql.LOCK);

  private final short consumer;
  private final long id;
  private final List<InboxClaim> claims = new ArrayList<>(1);
  private @Nullable DeadLetter letter;

  LetterOpening(short consumer, long id) {
    this.consumer = consumer;
    this.id = id;
  }

  /** What was found, whatever its state. */
  @Nullable DeadLetter letter() {
    return letter;
  }

  /** The letter's origin, once it was found: what its effects are attributed to. */
  List<InboxClaim> claims() {
    return claims;
  }

  @Override
  public String sql() {
    return SQL;
  }

  @Override
  public Phase phase() {
    return Phase.DEAD_LETTER;
  }

  @Override
  public int bind(PreparedStatement statement, int parameter) throws SQLException {
    statement.setShort(parameter, consumer);
    statement.setLong(parameter + 1, id);
    return parameter + 2;
  }

  @Override
  public BitSet fresh(ResultSet rows) throws SQLException {
    BitSet fresh = new BitSet(1);
    if (rows.next()) {
      DeadLetter found = DeadLetterRows.read(rows);
      letter = found;
      claims.add(found.claim());
      fresh.set(0, found.state() == DeadLetterState.OPEN);
    }
    return fresh;
  }
}
