package io.idembox.inbox;

import java.util.BitSet;

/** The batch inside a running transaction. */
final class OpenBatch implements InboxBatch {
  private final TransactionScope scope;
  private final BitSet fresh;
  private final BitSet released = new BitSet(0);
  private int covered;
  private int begun = -1;

  /**
   * A batch with all of its claims.
   *
   * @param fresh loses those that are released
   */
  OpenBatch(TransactionScope scope, BitSet fresh, int claims) {
    this.scope = scope;
    this.fresh = fresh;
    this.covered = claims;
  }

  /** How many of the claims the transaction decides, from the first. */
  int covered() {
    return covered;
  }

  /** Those that were new and are left out: they must not be committed. */
  BitSet released() {
    return released;
  }

  @Override
  public int[] fresh() {
    int[] indexes = new int[fresh.cardinality()];
    int i = fresh.nextSetBit(0);
    for (int n = 0; n < indexes.length; n++) {
      indexes[n] = i;
      i = fresh.nextSetBit(i + 1);
    }
    return indexes;
  }

  @Override
  public InboxTransaction begin(int index) {
    if (!fresh.get(index)) {
      throw notFresh(index);
    }
    begun = Math.max(begun, index);
    return scope.begin(index);
  }

  @Override
  public void endBefore(int index) {
    if (index <= Math.max(0, begun) || index >= covered) {
      throw new IllegalArgumentException(
          "A batch of "
              + covered
              + " whose message "
              + begun
              + " was begun cannot end before "
              + index);
    }
    for (int i = fresh.nextSetBit(index); i >= 0; i = fresh.nextSetBit(i + 1)) {
      released.set(i);
    }
    fresh.andNot(released);
    covered = index;
  }

  @Override
  public InboxTransaction all() {
    int first = fresh.nextSetBit(0);
    if (first < 0) {
      throw nothingFresh();
    }
    if (scope.isMixed(fresh)) {
      throw new IllegalStateException(
          "Some messages of this batch were done by the consumer that is rebuilt, and others were"
              + " not: their effects differ. Begin them one by one, or split the batch");
    }
    begun = Math.max(begun, first);
    return scope.begin(first);
  }

  static IllegalArgumentException notFresh(int index) {
    return new IllegalArgumentException(
        "Message " + index + " of the batch is not fresh: it was handled before");
  }

  static IllegalArgumentException nothingFresh() {
    return new IllegalArgumentException("No message of the batch is fresh");
  }
}
