package io.idembox.inbox;

/**
 * A partition as progress is kept for it.
 *
 * @param topicId from {@link ConsumerInbox#topicId}: a topic that was made again is another one
 * @param partition 0 or more
 */
public record InboxPartition(int topicId, int partition) {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public InboxPartition {
    if (topicId < 1 || topicId > Short.MAX_VALUE || partition < 0) {
      throw new IllegalArgumentException(
          "InboxPartition of topic id " + topicId + ", partition " + partition + " cannot be");
    }
  }
}
