package io.idembox.inbox;

/**
 * A handler called something on its transaction that belongs to the inbox (commit, rollback, close,
 * ...), or used a transaction that is over. If it was an attempt to end or bend the transaction,
 * the transaction is rolled back even when the handler swallows this.
 */
public final class ForbiddenCallException extends InboxException {
  private static final long serialVersionUID = 1L;

  private final String call;

  ForbiddenCallException(String call, String rule) {
    super(call + " is refused on an inbox transaction: " + rule, null);
    this.call = call;
  }

  /** What was called, for instance {@code Connection.commit}. */
  public String call() {
    return call;
  }
}
