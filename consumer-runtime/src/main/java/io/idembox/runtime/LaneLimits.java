package io.idembox.runtime;

import java.time.Duration;

/**
 * How much one partition may hold in memory and put into one transaction.
 *
 * @param queuedRecords fetching of the partition pauses at this many waiting records
 * @param queuedBytes and at this many bytes of keys and values
 * @param batchRecords the most records in one transaction
 * @param batchBytes a batch takes no further record once it holds this many bytes
 * @param transactionTarget batches shrink while transactions take longer than this
 */
record LaneLimits(
    int queuedRecords,
    long queuedBytes,
    int batchRecords,
    long batchBytes,
    Duration transactionTarget) {
  static final LaneLimits DEFAULTS =
      new LaneLimits(4_000, 16L << 20, 1_000, 4L << 20, Duration.ofMillis(250));
}
