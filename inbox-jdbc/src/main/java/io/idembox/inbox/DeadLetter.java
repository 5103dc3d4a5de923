package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A record that was given up, as it stands in the database.
 *
 * @param topic the topic's name
 * @param attempts how often it was handled in all
 * @param trips how often it ended here: once more with each retry that failed
 * @param createdAt database time
 * @param updatedAt database time
 * @param closedAt database time; null while it is open or held
 */
public record DeadLetter(
    long id,
    DeadLetterState state,
    InboxClaim claim,
    String topic,
    DeadLetterContent content,
    DeadLetterError error,
    int attempts,
    int trips,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant closedAt) {
  /** All but the closing time are required. */
  public DeadLetter {
    requireNonNull(state, "state");
    requireNonNull(claim, "claim");
    requireNonNull(topic, "topic");
    requireNonNull(content, "content");
    requireNonNull(error, "error");
    requireNonNull(createdAt, "createdAt");
    requireNonNull(updatedAt, "updatedAt");
  }

  DeadLetter withContent(DeadLetterContent other) {
    return new DeadLetter(
        id, state, claim, topic, other, error, attempts, trips, createdAt, updatedAt, closedAt);
  }
}
