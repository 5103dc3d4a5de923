package io.idembox.runtime;

import static java.util.Objects.requireNonNull;

import java.util.UUID;
import org.apache.kafka.common.TopicPartition;

/**
 * What the settings say about starts.
 *
 * @param start where the very first start begins
 * @param atStart what Kafka knew when the consumer was started
 * @param installation of the database, which committed offsets name
 * @param adoptOffsets whether those that name another one are taken over
 */
record StartRules(StartPosition start, TopicIds atStart, UUID installation, boolean adoptOffsets) {
  StartRules {
    requireNonNull(start, "start");
    requireNonNull(atStart, "atStart");
    requireNonNull(installation, "installation");
  }

  /** Where a partition that nobody has ever read begins. */
  StartPosition startOf(TopicPartition partition) {
    return atStart.isOfFirstStart(partition) ? start : StartPosition.EARLIEST;
  }
}
