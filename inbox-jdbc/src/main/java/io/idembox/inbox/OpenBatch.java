package io.idembox.inbox;

import java.util.BitSet;

/** The batch inside a running transaction. */
final class OpenBatch implements InboxBatch {
  private final TransactionScope scope;
  private final BitSet fresh;

  OpenBatch(TransactionScope scope, BitSet fresh) {
    this.scope = scope;
    this.fresh = fresh;
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
    return scope.begin(index);
  }

  @Override
  public InboxTransaction all() {
    int first = fresh.nextSetBit(0);
    if (first < 0) {
      throw nothingFresh();
    }
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
