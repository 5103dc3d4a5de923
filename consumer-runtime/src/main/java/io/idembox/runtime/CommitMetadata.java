package io.idembox.runtime;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.UUID;

/**
 * What stands beside an offset that this consumer commits. It tells its own commits from those of
 * an operator's tool, and a database from another one or from an earlier state of itself.
 *
 * @param installation the database's own id
 * @param topicId the topic's id in Kafka; zero when the broker names none
 * @param generation of the partition's progress
 * @param floor the database knew everything from here up to the committed offset to be settled
 */
record CommitMetadata(UUID installation, UUID topicId, int generation, long floor) {
  private static final String MARK = "idembox/1";
  private static final int PARTS = 5;

  CommitMetadata {
    requireNonNull(installation, "installation");
    requireNonNull(topicId, "topicId");
  }

  /** Empty when it is not ours: written by a tool, or by another framework. */
  static Optional<CommitMetadata> parse(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != PARTS || !parts[0].equals(MARK)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new CommitMetadata(
              UUID.fromString(parts[1]),
              UUID.fromString(parts[2]),
              Integer.parseInt(parts[3]),
              Long.parseLong(parts[4])));
    } catch (IllegalArgumentException e) {
      // Somebody else's text that begins like ours: as good as foreign.
      return Optional.empty();
    }
  }

  String text() {
    return String.join(
        " ",
        MARK,
        installation.toString(),
        topicId.toString(),
        Integer.toString(generation),
        Long.toString(floor));
  }
}
