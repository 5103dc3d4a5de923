package io.idembox.inbox;

import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * The distinct ids of a batch, and where each was first claimed. An open-addressed table of ints: a
 * batch costs two arrays instead of an object for each message.
 */
final class ClaimIndex {
  private final List<InboxClaim> claims;
  private final int[] table;
  private final int[] distinct;
  private final int size;

  ClaimIndex(List<InboxClaim> claims) {
    this.claims = claims;
    this.table = new int[Integer.highestOneBit(Math.max(4, claims.size())) * 4];
    Arrays.fill(table, -1);
    int[] first = new int[claims.size()];
    int count = 0;
    for (int i = 0; i < claims.size(); i++) {
      int slot = slot(claims.get(i).messageId());
      if (table[slot] < 0) {
        table[slot] = i;
        first[count++] = i;
      }
    }
    this.distinct = first;
    this.size = count;
  }

  /** How many distinct ids there are. */
  int size() {
    return size;
  }

  /** How many claims there are, repeated ids included. */
  int all() {
    return claims.size();
  }

  /** The claim that is the n-th with an id not seen before. */
  InboxClaim distinct(int n) {
    return claims.get(distinct[n]);
  }

  /** All distinct ids as the text of an array, to be bound as {@link java.sql.Types#OTHER}. */
  String ids() {
    StringBuilder text = new StringBuilder(size * 37 + 2).append('{');
    for (int n = 0; n < size; n++) {
      if (n > 0) {
        text.append(',');
      }
      text.append(distinct(n).messageId());
    }
    return text.append('}').toString();
  }

  /** The index of the first claim of an id that is in the batch. */
  int indexOf(UUID id) {
    int index = table[slot(id)];
    if (index < 0) {
      throw new IllegalStateException("The database returned id " + id + ", which was not claimed");
    }
    return index;
  }

  private int slot(UUID id) {
    long mixed = (id.getMostSignificantBits() ^ id.getLeastSignificantBits()) * 0x9E3779B97F4A7C15L;
    int mask = table.length - 1;
    int slot = (int) (mixed >>> 32) & mask;
    while (table[slot] >= 0 && !claims.get(table[slot]).messageId().equals(id)) {
      slot = slot + 1 & mask;
    }
    return slot;
  }
}
