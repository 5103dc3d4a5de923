package io.idembox.inbox;

import org.jspecify.annotations.Nullable;

/**
 * The database cannot be used now: unreachable, refusing the login, too old, or read-only. The
 * message names host, port and database, never the password. Trying again may help.
 */
public final class InboxUnavailableException extends InboxException {
  private static final long serialVersionUID = 1L;

  InboxUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
