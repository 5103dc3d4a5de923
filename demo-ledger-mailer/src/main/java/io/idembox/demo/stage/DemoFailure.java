package io.idembox.demo.stage;

import org.jspecify.annotations.Nullable;

/** A run that could not be brought to its end. The message says what did not happen. */
public final class DemoFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** A failure without a cause. */
  public DemoFailure(String message) {
    super(message);
  }

  /** A failure with its cause, if there is one. */
  public DemoFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
