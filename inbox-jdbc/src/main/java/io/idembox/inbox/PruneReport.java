package io.idembox.inbox;

/**
 * What one slice did.
 *
 * @param busy another member is pruning; nothing was done
 * @param inboxRows removed
 * @param effects removed from the journal
 * @param letters closed dead letters removed
 * @param roundFinished the walk has reached the end of the inbox table; nothing is left to do until
 *     the next
 */
public record PruneReport(
    boolean busy, int inboxRows, int effects, int letters, boolean roundFinished) {
  static final PruneReport BUSY = new PruneReport(true, 0, 0, 0, false);
}
