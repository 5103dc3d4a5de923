package io.idembox.runtime;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How one assigned partition stands.
 *
 * @param topic the topic
 * @param partition the partition
 * @param finishedOffset the next offset to commit; empty until it is known where to start
 * @param lagRecords how many records of the log are not fetched yet; empty while Kafka does not say
 * @param queuedRecords how many fetched records are not finished
 * @param oldestUnfinished the timestamp of the first record that is not finished; empty if all are
 * @param stall why the partition, or a key in it, does not move; empty if it does
 */
public record PartitionStatus(
    String topic,
    int partition,
    OptionalLong finishedOffset,
    OptionalLong lagRecords,
    int queuedRecords,
    Optional<Instant> oldestUnfinished,
    Optional<Stall> stall) {}
