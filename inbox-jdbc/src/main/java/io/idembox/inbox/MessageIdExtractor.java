package io.idembox.inbox;

import org.jspecify.annotations.Nullable;

/** Takes the message id out of a record by a rule of the user's. Must be thread-safe. */
@FunctionalInterface
public interface MessageIdExtractor {
  /**
   * The id's bytes, any encoding and length; null when the record has none, and its coordinates are
   * to be used.
   *
   * @throws Exception if the record cannot be read: it goes to the dead letters with this reason
   */
  byte @Nullable [] extract(InboundRecord record) throws Exception;

  /**
   * Reads the id from a JSON value.
   *
   * @param pointer an RFC 6901 pointer to a string or a number, for instance {@code /event/id}
   * @throws IllegalArgumentException if the pointer is not one, or points at the whole document
   */
  static MessageIdExtractor jsonPointer(String pointer) {
    return new JsonPointerExtractor(pointer);
  }
}
