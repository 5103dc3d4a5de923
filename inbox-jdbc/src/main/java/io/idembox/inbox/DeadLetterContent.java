package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record's bytes, as they came. Arrays are neither copied nor compared.
 *
 * @param key null when the record has none
 * @param value null for a tombstone
 * @param headers in the record's order, repeated names included
 * @param timestamp as the broker gave it; null when unknown, or so far off that the database holds
 *     no such time
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody; values may be megabytes.
public record DeadLetterContent(
    byte @Nullable [] key,
    byte @Nullable [] value,
    List<Header> headers,
    @Nullable Instant timestamp) {
  /** The list is copied. */
  public DeadLetterContent {
    headers = List.copyOf(headers);
  }

  /**
   * One header.
   *
   * @param value may be null, as in Kafka
   */
  @SuppressWarnings("ArrayRecordComponent") // As above.
  public record Header(String name, byte @Nullable [] value) {
    /** The name is required. */
    public Header {
      requireNonNull(name, "name");
    }
  }

  /** The same record with another value, for a retry of what was corrected by hand. */
  public DeadLetterContent withValue(byte @Nullable [] other) {
    return new DeadLetterContent(key, other, headers, timestamp);
  }
}
