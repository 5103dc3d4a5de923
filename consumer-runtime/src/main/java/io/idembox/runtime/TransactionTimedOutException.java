package io.idembox.runtime;

import java.time.Duration;

/** PostgreSQL ended a transaction that sent no statement for as long as the inbox allows. */
final class TransactionTimedOutException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  TransactionTimedOutException(Duration open, Duration allowed, Throwable cause) {
    super(
        "the transaction was ended by the server after "
            + allowed.toMillis()
            + " ms without a statement, "
            + open.toMillis()
            + " ms after it began. If its handler may take that long, set"
            + " idleInTransactionTimeout(...) above it",
        cause);
  }
}
