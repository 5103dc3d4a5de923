package io.idembox.inbox;

/**
 * The claims of one transaction, after the claim. For the calling thread only, until the work
 * returns.
 */
public interface InboxBatch {
  /**
   * Indexes into the claims of those that are new, ascending. A second claim of the same id in one
   * batch is not among them.
   */
  int[] fresh();

  /**
   * Opens the view of the transaction for one fresh message. Enqueued writes and intents are
   * attributed to it; the view handed out before is dead from now on.
   *
   * @throws IllegalArgumentException if the index is not one of {@link #fresh()}
   */
  InboxTransaction begin(int index);

  /**
   * Ends the batch early: this transaction records the messages before the index, and none from it
   * on. Their claims go before the commit, so that whoever claims them next finds them new. For a
   * caller that has worked long enough, or is to stop; nothing that was handled is lost by it.
   *
   * @throws IllegalArgumentException if the index is 0 or beyond the last claim, or a message at or
   *     behind it was begun already
   */
  void endBefore(int index);

  /** Opens one view for all fresh messages, for a handler that takes them as a list. */
  InboxTransaction all();
}
