package io.idembox.runtime;

import io.idembox.inbox.InboxTransaction;
import java.util.List;

/**
 * Handles the new messages of one transaction together, for work that is cheaper in bulk.
 *
 * <p>What {@link InboxHandler} says holds here too, for the list as a whole: its messages' inbox
 * rows and the writes commit together or not at all. When the handler fails, the list is rolled
 * back and handed over again in halves, until the message at fault stands alone; so results must
 * not depend on how messages are grouped.
 *
 * @param <T> what the subscription decodes a record's value to
 */
@FunctionalInterface
public interface BatchInboxHandler<T> {

  /**
   * Handles new messages of one partition.
   *
   * @param messages at least one, in the order of their offsets; tombstones among them have a null
   *     value
   * @param tx the open transaction, usable on this thread until this method returns
   * @throws Exception any failure rolls the transaction back, and smaller lists follow
   */
  void handle(List<InboxMessage<T>> messages, InboxTransaction tx) throws Exception;
}
