package io.idembox.inbox;

/** Handles the record of a dead letter. */
@FunctionalInterface
public interface RetryWork {
  /**
   * Handles it, as the first time.
   *
   * @param letter with the bytes to handle
   * @throws Exception anything rolls back, and the letter stays open
   */
  void handle(DeadLetter letter, InboxTransaction tx) throws Exception;
}
