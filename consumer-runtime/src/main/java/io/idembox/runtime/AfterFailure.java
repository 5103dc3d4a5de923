package io.idembox.runtime;

import java.time.Duration;

/**
 * What becomes of a failed batch's lanes.
 *
 * @param finished whether the batch is done with, its record being a dead letter
 * @param pause what its records wait for before they are taken again; zero means nothing
 */
record AfterFailure(boolean finished, Duration pause) {
  static final AfterFailure GAVE_UP = new AfterFailure(true, Duration.ZERO);
  static final AfterFailure AT_ONCE = new AfterFailure(false, Duration.ZERO);

  static AfterFailure pause(Duration pause) {
    return new AfterFailure(false, pause);
  }
}
