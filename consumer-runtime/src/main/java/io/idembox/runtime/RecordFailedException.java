package io.idembox.runtime;

/** Tells the lane which record of its batch failed; the cause is what the handler threw. */
final class RecordFailedException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  private final int index;

  RecordFailedException(int index, Throwable cause) {
    super("The record at index " + index + " of the batch failed", cause);
    this.index = index;
  }

  /** The record's index in its batch. */
  int index() {
    return index;
  }
}
