package io.idembox.runtime;

import java.time.Duration;

/**
 * How long the poll thread may take for what it waits for.
 *
 * @param commitInterval the least time between two offset commits
 * @param commit how long a commit that is waited for may take
 * @param drain how long a revocation waits for running batches; well below max.poll.interval.ms,
 *     since the group waits as long
 * @param historyInterval how often the database is asked whether it still knows what it has
 *     confirmed
 * @param stallAfter a partition that has not moved for so long needs a reason
 * @param shutdown how long {@code close()} waits for running batches, the last commit included
 */
record Budgets(
    Duration commitInterval,
    Duration commit,
    Duration drain,
    Duration historyInterval,
    Duration stallAfter,
    Duration shutdown) {
  static final Budgets DEFAULTS =
      new Budgets(
          Duration.ofMillis(250),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofSeconds(20));
}
