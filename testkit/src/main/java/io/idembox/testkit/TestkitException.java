package io.idembox.testkit;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The root of what the test kit throws: a server or a process did not do what it was told. */
public class TestkitException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** An exception with the fact as its message. */
  public TestkitException(String message) {
    super(message);
  }

  /** An exception with the fact as its message and what brought it about. */
  public TestkitException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
