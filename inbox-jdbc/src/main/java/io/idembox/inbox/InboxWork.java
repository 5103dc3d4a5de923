package io.idembox.inbox;

/** What is done inside an inbox transaction, for the messages that are new. */
@FunctionalInterface
public interface InboxWork {
  /**
   * Handles the fresh messages of the batch, on the thread that called {@link ConsumerInbox#run}.
   *
   * @throws Exception anything rolls the whole transaction back
   */
  void handle(InboxBatch batch) throws Exception;
}
