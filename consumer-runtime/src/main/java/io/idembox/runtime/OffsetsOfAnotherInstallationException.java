package io.idembox.runtime;

import java.util.UUID;

/**
 * The group's offsets were committed by a consumer on another database: its inbox does not know
 * what this group has done.
 */
final class OffsetsOfAnotherInstallationException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  OffsetsOfAnotherInstallationException(UUID theirs, UUID ours) {
    super(
        "The group's offsets were committed with the database of installation "
            + theirs
            + ", this one is "
            + ours
            + ": connect the right database, or take the offsets over with adoptOffsets()",
        null);
  }
}
