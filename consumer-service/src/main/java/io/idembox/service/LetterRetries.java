package io.idembox.service;

import io.idembox.inbox.InboxException;
import io.idembox.inbox.LetterRetry;
import io.idembox.runtime.InboxConsumer;
import org.jspecify.annotations.Nullable;

/** Handles the records of dead letters again, in the service: here are their handlers. */
final class LetterRetries {
  private final InboxConsumer consumer;

  LetterRetries(InboxConsumer consumer) {
    this.consumer = consumer;
  }

  /**
   * What came of a retry.
   *
   * @param handled false if it failed again; the letter stays open
   * @param failure the class of the failure; the letter holds the rest
   */
  record Retried(long id, boolean handled, @Nullable String failure) {}

  /**
   * Retries one letter.
   *
   * @throws NotPossibleException if there is none of this id, or it is not open
   */
  Retried retry(long id) {
    LetterRetry answer;
    try {
      answer = consumer.retryDeadLetter(id, null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Retried(id, false, e.getClass().getName());
    } catch (InboxException e) {
      // The database's failure, not the record's.
      throw e;
    } catch (Exception e) {
      return new Retried(id, false, e.getClass().getName());
    }
    if (answer instanceof LetterRetry.NotOpen notOpen) {
      throw new NotPossibleException(
          notOpen.state() == null
              ? "there is no dead letter " + id
              : "dead letter " + id + " is " + ValueType.name(notOpen.state()));
    }
    return new Retried(id, true, null);
  }
}
