package io.idembox.runtime;

/**
 * Is told of each batch whose transaction was committed, before its effects run. For counting and
 * watching; it cannot change anything.
 */
@FunctionalInterface
public interface RunListener {

  /**
   * Called on the worker thread of the batch, by several threads at once. What it throws is logged
   * and has no other effect.
   */
  void onBatch(BatchReport report);
}
