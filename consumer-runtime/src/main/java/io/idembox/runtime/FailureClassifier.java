package io.idembox.runtime;

import io.idembox.effect.EffectInProgressException;
import io.idembox.effect.EffectStoreException;
import io.idembox.inbox.InboxStatementException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Classes failures by where they happened, then by SQLSTATE, never by message text.
 *
 * <table>
 *   <caption>What is looked for, in this order; the first that applies decides</caption>
 *   <tr><th>anywhere in the chain of causes</th><th>class</th></tr>
 *   <tr><td>SQLSTATE 55P03 (lock time-out), an effect that is in progress elsewhere</td>
 *       <td>{@link FailureClass#CONTENTION}</td></tr>
 *   <tr><td>SQLSTATE 40001 (serialization), 40P01 (deadlock)</td>
 *       <td>{@link FailureClass#CONFLICT}</td></tr>
 *   <tr><td>SQLSTATE 08*, 28*, 3D000, 25006, 25P03, 53*, 57P*, 58*; a failure of the guard's store</td>
 *       <td>{@link FailureClass#INFRASTRUCTURE}</td></tr>
 *   <tr><td>SQLSTATE 22*, 23*, P0* in a statement of the inbox (a constraint that is checked at
 *       commit, for instance)</td><td>{@link FailureClass#RECORD}</td></tr>
 *   <tr><td>any other failure of a statement of the inbox</td>
 *       <td>{@link FailureClass#INFRASTRUCTURE}</td></tr>
 *   <tr><td>everything else: the handler's own failure</td><td>{@link FailureClass#RECORD}</td></tr>
 * </table>
 */
final class FailureClassifier {
  private FailureClassifier() {}

  /** Whether the server ended the transaction because it was idle for too long. */
  static boolean isIdleInTransaction(Throwable failure) {
    return Causes.of(failure).stream()
        .anyMatch(t -> t instanceof SQLException e && "25P03".equals(e.getSQLState()));
  }

  static FailureClass classify(Throwable failure) {
    boolean ownStatement = false;
    @Nullable String state = null;
    for (Throwable t : Causes.of(failure)) {
      if (t instanceof EffectInProgressException) {
        return FailureClass.CONTENTION;
      }
      if (t instanceof EffectStoreException) {
        return FailureClass.INFRASTRUCTURE;
      }
      ownStatement |= t instanceof InboxStatementException;
      if (state == null && t instanceof SQLException e) {
        state = e.getSQLState();
      }
    }
    return classify(state == null ? "" : state, ownStatement);
  }

  private static FailureClass classify(String state, boolean ownStatement) {
    if (state.equals("55P03")) {
      return FailureClass.CONTENTION;
    }
    if (state.equals("40001") || state.equals("40P01")) {
      return FailureClass.CONFLICT;
    }
    if (isInfrastructure(state)) {
      return FailureClass.INFRASTRUCTURE;
    }
    if (ownStatement
        && !state.startsWith("22")
        && !state.startsWith("23")
        && !state.startsWith("P0")) {
      return FailureClass.INFRASTRUCTURE;
    }
    return FailureClass.RECORD;
  }

  private static boolean isInfrastructure(String state) {
    return state.startsWith("08")
        || state.startsWith("28")
        || state.startsWith("53")
        || state.startsWith("57P")
        || state.startsWith("58")
        || state.equals("3D000")
        || state.equals("25006")
        || state.equals("25P03");
  }
}
