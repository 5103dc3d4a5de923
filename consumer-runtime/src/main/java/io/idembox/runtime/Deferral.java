package io.idembox.runtime;

import java.time.Duration;

/**
 * How effects that did not succeed are put off.
 *
 * @param mostAttempts after so many an effect is given up, or held if its outcome is unknown
 * @param pauses between the attempts
 */
record Deferral(int mostAttempts, Backoff pauses) {
  /** About seven hours of a provider's outage. */
  static final Deferral DEFAULT =
      new Deferral(50, new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(10)));
}
