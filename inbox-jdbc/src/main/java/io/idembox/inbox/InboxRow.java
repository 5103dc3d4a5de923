package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * The inbox row of a message: which record was handled for it.
 *
 * @param claim its origin
 * @param topic the topic's name
 * @param recordedAt database time at which its transaction began
 */
public record InboxRow(InboxClaim claim, String topic, Instant recordedAt) {
  /** All parts are required. */
  public InboxRow {
    requireNonNull(claim, "claim");
    requireNonNull(topic, "topic");
    requireNonNull(recordedAt, "recordedAt");
  }
}
