package io.idembox.runtime;

import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.InboxClaim;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which records of a batch were done by the consumer that is rebuilt. A list for a batch handler
 * cannot be both, so the batch goes as far as its first record's kind does.
 *
 * @param doneBefore null for a consumer of its own
 * @param alike how many records from the first are of one kind; all, for a consumer of its own
 */
record Inheritance(@Nullable BitSet doneBefore, int alike) {

  static Inheritance of(ConsumerInbox inbox, List<FetchedRecord> batch, List<InboxClaim> claims) {
    if (!inbox.isRebuild()) {
      return new Inheritance(null, batch.size());
    }
    BitSet done =
        inbox.doneBefore(claims, batch.stream().mapToInt(FetchedRecord::leaderEpoch).toArray());
    int change = done.get(0) ? done.nextClearBit(0) : done.nextSetBit(0);
    return new Inheritance(done, change < 0 ? batch.size() : Math.min(change, batch.size()));
  }
}
