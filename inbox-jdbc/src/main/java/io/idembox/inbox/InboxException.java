package io.idembox.inbox;

import org.jspecify.annotations.Nullable;

/** The root of what the inbox throws. */
public abstract class InboxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InboxException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
