package io.idembox.runtime;

import java.time.Instant;
import java.util.List;

/**
 * How a consumer stands.
 *
 * @param lastPoll when the poll loop last turned; one that is older than a few poll intervals says
 *     that the loop hangs
 * @param partitions those that this member owns, by topic and number; none while it waits for an
 *     assignment
 */
public record ConsumerStatus(Instant lastPoll, List<PartitionStatus> partitions) {
  /** The list is copied. */
  public ConsumerStatus {
    partitions = List.copyOf(partitions);
  }
}
