package io.idembox.inbox;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a message identity is made from: the record as it came from the broker, undecoded. Arrays
 * are handed out as they are, without a copy; nobody writes into them.
 */
public interface InboundRecord {
  /** The topic's name. */
  String topic();

  /**
   * The id that the broker gave the topic, which changes when it is made again; zero when unknown.
   */
  UUID topicId();

  /** The partition, 0 or more. */
  int partition();

  /** The offset within the partition, 0 or more. */
  long offset();

  /**
   * The epoch of the leader that took the record, which it keeps; -1 when unknown. After a
   * truncation another record can stand at the same offset; this tells the two apart.
   */
  default int leaderEpoch() {
    return -1;
  }

  /**
   * The record's time in milliseconds, which it keeps too; negative when unknown. It only orders
   * identities made from coordinates, so that the inbox's index is filled at its end.
   */
  default long timestamp() {
    return -1;
  }

  /** The record's key, or null when it has none. */
  byte @Nullable [] key();

  /** The record's value; null is a tombstone. */
  byte @Nullable [] value();

  /** All headers. */
  MessageHeaders headers();
}
