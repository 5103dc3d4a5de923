package io.idembox.inbox;

import org.jspecify.annotations.Nullable;

/**
 * The database lacks the schema, or part of it. Trying again does not help; the message says what
 * does.
 */
public final class InboxSchemaMismatchException extends InboxException {
  private static final long serialVersionUID = 1L;

  InboxSchemaMismatchException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
