package io.idembox.inbox;

/**
 * A consumer's settings contradict what the database knows about it; the message says what to do.
 */
public final class RegistrationException extends InboxException {
  private static final long serialVersionUID = 1L;

  RegistrationException(String message) {
    super(message, null);
  }
}
