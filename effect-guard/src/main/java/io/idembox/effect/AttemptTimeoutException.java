package io.idembox.effect;

import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** The cause of an in-doubt outcome when the code did not return in time; it may still run. */
final class AttemptTimeoutException extends TimeoutException {
  private static final long serialVersionUID = 1L;

  AttemptTimeoutException(Duration timeout) {
    super(
        "the effect's code has not returned within "
            + timeout
            + "; it keeps its key until it does");
  }
}
