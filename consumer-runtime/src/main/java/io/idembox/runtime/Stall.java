package io.idembox.runtime;

import java.time.Instant;

/**
 * Why some of a partition's records do not move at this moment.
 *
 * @param reason what is being waited for
 * @param detail the record and the failure, without any payload
 * @param since when the first attempt failed
 * @param failures how many attempts have failed in a row
 */
public record Stall(Reason reason, String detail, Instant since, int failures) {

  /** What is being waited for. */
  public enum Reason {
    /** A server is away or refuses everybody. */
    OUTAGE,
    /** Somebody has paused the partition. */
    PAUSED,
    /** Another transaction or another effect holds what is needed. */
    CONTENTION,
    /** A record fails again and again, and what is ordered behind it waits. */
    RECORD_FAILING,
    /** Too many records in a row were given up: attempts are made one at a time. */
    HANDLER_FAILING,
    /** The journal owes too many effects: no new record is handled until some are settled. */
    EFFECTS_BACKLOG,
    /** It is assigned, but the database or Kafka does not say where to start. */
    OPENING,
    /** No topic stands behind the name at this moment. */
    TOPIC_MISSING,
    /** Work is finished, but it cannot be noted in the database or committed to Kafka. */
    NOT_COMMITTED,
    /** Records are there, but Kafka does not hand them out: its leader is away, for instance. */
    NOT_FETCHED,
    /** A producer's transaction is open, and Kafka hands out nothing behind its begin. */
    OPEN_TRANSACTION,
    /** Batches run, or wait for a worker, and none has ended for a minute. */
    SLOW_WORK
  }
}
