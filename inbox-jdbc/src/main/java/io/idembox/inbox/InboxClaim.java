package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.util.UUID;

/**
 * One message that asks to be handled.
 *
 * @param messageId from {@link MessageIdResolver}
 * @param topicId from {@link ConsumerInbox#topicId}
 * @param partition 0 or more
 * @param offset 0 or more
 */
public record InboxClaim(UUID messageId, int topicId, int partition, long offset) {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public InboxClaim {
    requireNonNull(messageId, "messageId");
    if (topicId < 1 || topicId > Short.MAX_VALUE || partition < 0 || offset < 0) {
      throw new IllegalArgumentException(
          "InboxClaim of topic id "
              + topicId
              + ", partition "
              + partition
              + ", offset "
              + offset
              + " cannot be");
    }
  }
}
