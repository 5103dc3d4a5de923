package io.idembox.inbox;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A write that a handler enqueued failed when it was sent. It is the handler's failure, and may
 * surface while a later message of the transaction is handled.
 */
public final class EnqueuedWriteException extends InboxException {
  private static final long serialVersionUID = 1L;

  private final String sql;
  private final int[] candidates;

  EnqueuedWriteException(String sql, int[] candidates, String problem, @Nullable Throwable cause) {
    super(
        "An enqueued write failed ("
            + problem
            + "): "
            + sql
            + "; from message"
            + (candidates.length == 1 ? " " : "s ")
            + Arrays.toString(candidates)
            + " of the batch",
        cause);
    this.sql = sql;
    this.candidates = candidates;
  }

  /** The statement's text, without its arguments. */
  public String sql() {
    return sql;
  }

  /**
   * Indexes into the claims whose writes were sent together: one of them is at fault; running them
   * apart tells which. A single one is at fault itself.
   */
  public int[] candidates() {
    return candidates.clone();
  }
}
