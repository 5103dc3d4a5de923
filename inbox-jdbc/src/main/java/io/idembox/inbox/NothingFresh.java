package io.idembox.inbox;

/** A batch of duplicates only; no transaction is open behind it. */
enum NothingFresh implements InboxBatch {
  BATCH;

  @Override
  public int[] fresh() {
    return new int[0];
  }

  @Override
  public InboxTransaction begin(int index) {
    throw OpenBatch.notFresh(index);
  }

  @Override
  public void endBefore(int index) {
    throw OpenBatch.nothingFresh();
  }

  @Override
  public InboxTransaction all() {
    throw OpenBatch.nothingFresh();
  }
}
