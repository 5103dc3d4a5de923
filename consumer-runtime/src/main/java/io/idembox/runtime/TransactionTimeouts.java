package io.idembox.runtime;

import java.time.Duration;

/**
 * How long transactions of the inbox may take.
 *
 * @param target batches are sized so that a transaction takes about this long
 * @param claim how long a claim waits for another transaction that holds the same message
 * @param effect how long {@code once} may take inside of a transaction
 * @param idle when the server ends a transaction that sends no statement
 */
record TransactionTimeouts(Duration target, Duration claim, Duration effect, Duration idle) {
  // A batch that was sized for the target and takes this much longer has met slow records.
  private static final int CLOSES_AT = 4;

  /** After this long a batch commits what it has handled and leaves the rest for the next one. */
  Duration closes() {
    return target.multipliedBy(CLOSES_AT);
  }
}
