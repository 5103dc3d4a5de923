package io.idembox.runtime;

import java.time.Duration;

/**
 * How the records of one partition are worked on, and how much of it is in memory and in one
 * transaction.
 *
 * @param ordering which records wait for each other
 * @param concurrency how many batches of one partition run at once, where the ordering allows it
 * @param queuedRecords fetching of the partition pauses at this many waiting records
 * @param queuedBytes and at this many bytes of keys and values
 * @param batchRecords the most records in one transaction
 * @param batchBytes a batch takes no further record once it holds this many bytes
 * @param transactionTarget batches shrink while transactions take longer than this
 * @param pollRecords the most records that one poll hands out, of all partitions
 * @param firstBatch how many records share a transaction before anything is known of their pace
 */
record LaneLimits(
    Ordering ordering,
    int concurrency,
    int queuedRecords,
    long queuedBytes,
    int batchRecords,
    long batchBytes,
    Duration transactionTarget,
    int pollRecords,
    int firstBatch) {
  static final LaneLimits DEFAULTS =
      new LaneLimits(
          Ordering.PARTITION,
          4,
          2_000,
          16L << 20,
          1_000,
          4L << 20,
          Duration.ofMillis(250),
          2_000,
          1);
}
