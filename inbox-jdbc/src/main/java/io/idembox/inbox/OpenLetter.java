package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

/**
 * An open or held letter, without its content.
 *
 * @param claim the origin of the record that is dead
 */
public record OpenLetter(long id, DeadLetterState state, InboxClaim claim) {
  /** All parts are required. */
  public OpenLetter {
    requireNonNull(state, "state");
    requireNonNull(claim, "claim");
  }

  /** Whether this is the very record that is dead, delivered again, and no copy of it. */
  public boolean isFrom(InboxClaim other) {
    return claim.topicId() == other.topicId()
        && claim.partition() == other.partition()
        && claim.offset() == other.offset();
  }
}
