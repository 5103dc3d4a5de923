package io.idembox.runtime;

import java.time.Instant;
import java.util.List;

/**
 * How a consumer stands.
 *
 * @param lastPoll when the poll loop last turned; one that is older than a few poll intervals says
 *     that the loop hangs
 * @param joined whether it is a member of its group, with partitions or without; not before Kafka
 *     has taken it in, nor after it was thrown out
 * @param partitions those that this member owns, by topic and number; none while it waits for an
 *     assignment
 */
public record ConsumerStatus(Instant lastPoll, boolean joined, List<PartitionStatus> partitions) {
  /** The list is copied. */
  public ConsumerStatus {
    partitions = List.copyOf(partitions);
  }
}
