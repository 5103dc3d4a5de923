package io.idembox.runtime;

import java.time.Duration;

/** Says when an open batch should end, between two of its records. For one thread. */
final class BatchEnd {
  private final PartitionWork work;
  private final Duration longest;
  private final long begun = System.nanoTime();

  /**
   * Begins now.
   *
   * @param longest after this long the batch commits what it has
   */
  BatchEnd(PartitionWork work, Duration longest) {
    this.work = work;
    this.longest = longest;
  }

  /**
   * Whether no further record should begin: the batch has taken long enough, or its partition is
   * about to go and whoever takes it away waits.
   *
   * @throws AssignmentEndedException if the partition is gone
   */
  boolean isDue() {
    if (work.hasEnded()) {
      throw new AssignmentEndedException(work.partition());
    }
    return !work.isOpen() || elapsed().compareTo(longest) > 0;
  }

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - begun);
  }
}
