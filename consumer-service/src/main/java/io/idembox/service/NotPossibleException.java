package io.idembox.service;

/** What was named is not there, or not in a state that allows what was asked. */
final class NotPossibleException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotPossibleException(String message) {
    super(message);
  }
}
