package io.idembox.runtime;

import io.idembox.inbox.OffsetRanges;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Finds the records that the database knows to be done, run by run: no query, no decoding, and no
 * look at each single record, so that a group that was set back reads at the speed of the network.
 */
final class DoneRuns {
  private DoneRuns() {}

  /**
   * Where the run of done records that begins at an index ends.
   *
   * @param knownEpoch records of a higher leader epoch are others than those that were done
   * @return the index behind the run; the same index when the record is not known to be done
   */
  static int end(
      List<ConsumerRecord<byte[], byte[]>> records, int from, OffsetRanges done, int knownEpoch) {
    long offset = records.get(from).offset();
    if (!done.contains(offset)) {
      return from;
    }
    long rangeEnd = done.firstGapFrom(offset);
    int end = firstOf(records, from, i -> records.get(i).offset() >= rangeEnd);
    // Epochs never fall from one offset to the next, and one that is missing proves nothing.
    return isKnown(records.get(end - 1), knownEpoch)
        ? end
        : firstOf(records, from, i -> !isKnown(records.get(i), knownEpoch));
  }

  /** Whether the leader that wrote the record is known, and none above the one given. */
  private static boolean isKnown(ConsumerRecord<?, ?> record, int knownEpoch) {
    return record.leaderEpoch().map(epoch -> epoch <= knownEpoch).orElse(false);
  }

  /** The first index for which the condition holds; it holds for all behind it, too. */
  private static int firstOf(
      List<ConsumerRecord<byte[], byte[]>> records, int from, IntPredicate condition) {
    int low = from;
    int high = records.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (condition.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
