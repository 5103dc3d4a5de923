package io.idembox.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to say that no further attempt can help: the record becomes a dead letter at
 * once. Its message and causes go into the letter and the log, so keep payloads out of them.
 */
public final class PermanentFailureException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  /** With what is wrong with the record. */
  public PermanentFailureException(String message) {
    this(message, null);
  }

  /** With what is wrong with the record, and how it was noticed. */
  public PermanentFailureException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
