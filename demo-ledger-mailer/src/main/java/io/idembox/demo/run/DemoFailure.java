package io.idembox.demo.run;

import org.jspecify.annotations.Nullable;

/** A run that could not be brought to its end. The message says what did not happen. */
final class DemoFailure extends Exception {
  private static final long serialVersionUID = 1L;

  DemoFailure(String message) {
    super(message);
  }

  DemoFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
