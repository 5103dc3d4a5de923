package io.idembox.runtime;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process where a thread ran out of memory: nobody knows what other threads have lost, and
 * a consumer that looks alive and reads nothing is worse than one that is started again.
 */
final class OutOfMemory {
  /** As with {@code -XX:+ExitOnOutOfMemoryError}. */
  static final int EXIT_CODE = 3;

  private static final Logger log = LoggerFactory.getLogger(OutOfMemory.class);

  private OutOfMemory() {}

  /**
   * Halts the JVM if an OutOfMemoryError is among the causes; else does nothing. Without shutdown
   * hooks: they need memory too, and what is not committed is found again.
   *
   * @param where the record or thread, for the log
   */
  static void endsProcess(Throwable failure, String where) {
    if (!Causes.has(failure, OutOfMemoryError.class)) {
      return;
    }
    try {
      log.error("{}: out of memory, the process ends with code {}", where, EXIT_CODE, failure);
    } catch (Throwable e) {
      // Even a line may be too much; what counts is the end.
      Runtime.getRuntime().halt(EXIT_CODE);
    }
    Runtime.getRuntime().halt(EXIT_CODE);
  }
}
