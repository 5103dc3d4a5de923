package io.idembox.runtime;

/** A record was being handled each time that the process ended without a word. */
final class ProcessEndedException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  ProcessEndedException(String record, int times) {
    super(
        record
            + ": its handler was begun "
            + times
            + " times, and each time the process ended in it",
        null);
  }
}
