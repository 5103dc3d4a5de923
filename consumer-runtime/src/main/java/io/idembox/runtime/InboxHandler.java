package io.idembox.runtime;

import io.idembox.inbox.InboxTransaction;

/**
 * Handles one message inside the inbox transaction.
 *
 * <p>Rows written through the transaction commit together with the message's inbox row, or not at
 * all. An external effect cannot be rolled back: ask for it through {@code tx.effects()}. The same
 * message may be handed over again after a rollback, a crash or a rebalance, never after its
 * transaction was committed.
 *
 * <p>Messages of one partition are handled one after the other, on a worker thread of the consumer.
 * Partitions run at the same time, so an implementation must be thread-safe.
 *
 * @param <T> what the subscription decodes a record's value to
 */
@FunctionalInterface
public interface InboxHandler<T> {

  /**
   * Handles one message.
   *
   * @param message the message; its value is null for a tombstone
   * @param tx the open transaction, usable on this thread until this method returns
   * @throws Exception any failure rolls the transaction back; the message is kept and handled again
   *     after a pause, and no later record of its partition (or key) overtakes it. When its
   *     attempts are used up, or at once for a {@link PermanentFailureException}, it becomes a dead
   *     letter and those behind it go on
   */
  void handle(InboxMessage<T> message, InboxTransaction tx) throws Exception;
}
