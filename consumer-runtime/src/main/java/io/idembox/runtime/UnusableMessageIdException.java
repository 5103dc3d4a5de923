package io.idembox.runtime;

/** A record carries a message id that cannot be used. Names the record and what is wrong. */
public final class UnusableMessageIdException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  UnusableMessageIdException(String coordinates, String reason) {
    super("The message id of " + coordinates + " is unusable: " + reason, null);
  }
}
