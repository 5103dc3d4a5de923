package io.idembox.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Decides which partitions are not fetched for now. Used by the poll thread alone.
 *
 * <p>A consumer has one fetch at a broker at a time, for those partitions that are not held back
 * and have nothing in the client's buffer; it is sent when a poll has emptied the buffer. If all
 * that it asks for are partitions at their ends, the broker keeps it for {@code fetch.max.wait.ms}.
 * Whatever was held back when it went out gets no records until then, and lanes that work off
 * thousands a second run dry: a backlog over some partitions, and nothing in others, was read in
 * jerks. So while some are about to go on, the others are read only if more is left in them than
 * the next poll can hand out; else they wait with those, a quarter of a second or so at most.
 */
final class HoldingBack {
  // What waits in all lanes together; handlers, transactions and Kafka's own buffers need the rest.
  private static final long QUEUES_BYTES = Runtime.getRuntime().maxMemory() / 6;

  private final OperatorPauses pauses;
  private final PollPace pace;
  private final int pollRecords;

  /**
   * One for a consumer.
   *
   * @param pollRecords the most records that one poll hands out
   */
  HoldingBack(OperatorPauses pauses, PollPace pace, int pollRecords) {
    this.pauses = pauses;
    this.pace = pace;
    this.pollRecords = pollRecords;
  }

  /**
   * What came of a look.
   *
   * @param held those that are not fetched
   * @param untilRoom whether nothing is read at all until one of them has room, in a moment
   */
  record Held(Set<TopicPartition> held, boolean untilRoom) {}

  /**
   * Those that are not read yet, are paused by a person, or have enough in memory; and at times the
   * others, too.
   *
   * @param all that are assigned
   */
  Held of(Collection<HeldPartition> all) {
    long share = QUEUES_BYTES / Math.max(1, all.size());
    Set<TopicPartition> hold = new HashSet<>();
    List<TopicPartition> read = new ArrayList<>();
    long readable = 0;
    boolean someGoOnSoon = false;
    for (HeldPartition held : all) {
      boolean mayBeRead = held.isReading() && pauses.of(held.partition()) == null;
      if (mayBeRead && !held.work().isFull(share)) {
        read.add(held.partition());
        // What is not known yet may be any number.
        readable += held.work().lag().orElse(Integer.MAX_VALUE);
      } else {
        hold.add(held.partition());
        someGoOnSoon |= mayBeRead && pace.worksOffSoon(held);
      }
    }
    boolean untilRoom = someGoOnSoon && readable <= pollRecords;
    if (untilRoom) {
      hold.addAll(read);
    }
    return new Held(hold, untilRoom);
  }
}
