package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * One of the inbox's own statements failed; the transaction was rolled back, unless its outcome is
 * unknown. The cause carries the SQLSTATE.
 */
public final class InboxStatementException extends InboxException {
  private static final long serialVersionUID = 1L;

  /** Where it failed. */
  public enum Phase {
    /** Getting a connection. */
    CONNECT,
    /** Beginning the transaction and setting its time-outs. */
    BEGIN,
    /** The bulk claim. */
    CLAIM,
    /** Putting back what a handler changed in the session. */
    SETTINGS,
    /** Writing intents into the effect journal. */
    INTENTS,
    /** The commit itself; deferred constraints fail here too. */
    COMMIT,
    /** A statement of the effect journal, outside of an inbox transaction. */
    JOURNAL,
    /** Reading or writing progress. */
    PROGRESS,
    /** Dead letters and attempts. */
    DEAD_LETTER,
    /** Pruning. */
    PRUNE,
    /** Registering consumers and topics. */
    REGISTER
  }

  private final Phase phase;
  private final boolean outcomeUnknown;

  InboxStatementException(Phase phase, String message, SQLException cause, boolean outcomeUnknown) {
    super(message, cause);
    this.phase = phase;
    this.outcomeUnknown = outcomeUnknown;
  }

  static InboxStatementException of(Phase phase, SQLException cause) {
    return new InboxStatementException(
        phase, "The inbox failed at " + phase + ": " + SqlErrors.describe(cause), cause, false);
  }

  /** Where it failed. */
  public Phase phase() {
    return phase;
  }

  /** The SQLSTATE, or null when the driver gave none. */
  public @Nullable String sqlState() {
    return requireNonNull((SQLException) getCause()).getSQLState();
  }

  /**
   * Whether the transaction may have been committed all the same: the connection was lost while
   * COMMIT was under way. Running the same claims again settles it.
   */
  public boolean outcomeUnknown() {
    return outcomeUnknown;
  }
}
