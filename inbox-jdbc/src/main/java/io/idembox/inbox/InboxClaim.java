package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One message that asks to be handled.
 *
 * @param messageId from {@link MessageIdResolver}
 * @param topicId from {@link ConsumerInbox#topicId}
 * @param partition 0 or more
 * @param offset 0 or more
 * @param queue where effects that its handler asks for after the commit line up, one running at a
 *     time; null when they run in no order. See {@link #inTurnOf}
 */
public record InboxClaim(
    UUID messageId, int topicId, int partition, long offset, @Nullable Long queue) {
  /** One whose effects run in no order. */
  public InboxClaim(UUID messageId, int topicId, int partition, long offset) {
    this(messageId, topicId, partition, offset, null);
  }

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

  /**
   * The same message, whose effects after the commit run one after the other with those of all
   * messages of its topic that have the same record key, in the order in which their transactions
   * ask for them. Messages of one key must be handled one after the other for that to mean
   * anything. What is under way, failing, in doubt or held holds up what was asked for later.
   *
   * @param recordKey null for a record without a key, whose effects run in no order
   */
  public InboxClaim inTurnOf(byte @Nullable [] recordKey) {
    return new InboxClaim(
        messageId, topicId, partition, offset, recordKey == null ? null : hash(recordKey));
  }

  /** Not kept secret, but chosen by strangers: so that none can make all keys wait for one. */
  private long hash(byte[] recordKey) {
    MessageDigest sha = MessageIds.threadsSha256();
    sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(topicId).array());
    return ByteBuffer.wrap(sha.digest(recordKey)).getLong();
  }
}
