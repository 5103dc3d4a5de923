package io.idembox.inbox;

import org.jspecify.annotations.Nullable;

/**
 * A handler returned normally, but PostgreSQL had already failed its transaction: an SQL error was
 * swallowed. Everything was rolled back. The cause is the first error, if it came through the
 * transaction that was handed out.
 */
public final class TransactionFailedException extends InboxException {
  private static final long serialVersionUID = 1L;

  TransactionFailedException(@Nullable Throwable cause) {
    super(
        "The transaction had failed before its commit, though the handler returned normally: an SQL error"
            + " was swallowed. Let it through, or put the statement behind a savepoint",
        cause);
  }
}
