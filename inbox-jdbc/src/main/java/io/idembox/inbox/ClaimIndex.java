package io.idembox.inbox;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;

/**
 * The distinct ids of a batch, and where each was first claimed. An open-addressed table of ints
 * over the ids' own bits: a batch costs a few arrays instead of objects for each message, and a
 * look-up follows no references.
 */
final class ClaimIndex {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int TEXT_LENGTH = 36;

  private final List<InboxClaim> claims;
  private final long[] high;
  private final long[] low;
  private final int[] table;
  private final int[] distinct;
  private final int size;

  ClaimIndex(List<InboxClaim> claims) {
    this.claims = claims;
    this.table = new int[Integer.highestOneBit(Math.max(4, claims.size())) * 4];
    Arrays.fill(table, -1);
    this.high = new long[claims.size()];
    this.low = new long[claims.size()];
    int[] first = new int[claims.size()];
    int count = 0;
    for (int i = 0; i < claims.size(); i++) {
      UUID id = claims.get(i).messageId();
      high[i] = id.getMostSignificantBits();
      low[i] = id.getLeastSignificantBits();
      int slot = slot(high[i], low[i]);
      if (table[slot] < 0) {
        table[slot] = i;
        first[count++] = i;
      }
    }
    this.distinct = first;
    this.size = count;
  }

  /** How many claims there are, repeated ids included. */
  int all() {
    return claims.size();
  }

  /** How many distinct ids there are. */
  int size() {
    return size;
  }

  /** The claim that is the n-th with an id not seen before. */
  InboxClaim distinct(int n) {
    return claims.get(distinct[n]);
  }

  /** The indexes of all claims whose id was not seen before. */
  BitSet allDistinct() {
    BitSet all = new BitSet(claims.size());
    for (int n = 0; n < size; n++) {
      all.set(distinct[n]);
    }
    return all;
  }

  /** All distinct ids as the text of an array, to be bound as {@link java.sql.Types#OTHER}. */
  String ids() {
    byte[] text = new byte[Math.max(2, size * (TEXT_LENGTH + 1) + 1)];
    int at = 0;
    text[at++] = '{';
    for (int n = 0; n < size; n++) {
      if (n > 0) {
        text[at++] = ',';
      }
      at = id(text, at, high[distinct[n]], low[distinct[n]]);
    }
    text[at] = '}';
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  private static int id(byte[] text, int from, long high, long low) {
    int at = digits(text, from, high >>> 32, 8);
    text[at++] = '-';
    at = digits(text, at, high >>> 16, 4);
    text[at++] = '-';
    at = digits(text, at, high, 4);
    text[at++] = '-';
    at = digits(text, at, low >>> 48, 4);
    text[at++] = '-';
    return digits(text, at, low, 12);
  }

  private static int digits(byte[] text, int from, long value, int count) {
    for (int i = count - 1; i >= 0; i--) {
      text[from + i] = HEX[(int) (value >>> ((count - 1 - i) * 4)) & 0xf];
    }
    return from + count;
  }

  /** The index of the first claim of an id that is in the batch. */
  int indexOf(UUID id) {
    int index = table[slot(id.getMostSignificantBits(), id.getLeastSignificantBits())];
    if (index < 0) {
      throw new IllegalStateException("The database returned id " + id + ", which was not claimed");
    }
    return index;
  }

  private int slot(long idHigh, long idLow) {
    long mixed = (idHigh ^ idLow) * 0x9E3779B97F4A7C15L;
    int mask = table.length - 1;
    int slot = (int) (mixed >>> 32) & mask;
    while (table[slot] >= 0 && (low[table[slot]] != idLow || high[table[slot]] != idHigh)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
