package io.idembox.service;

/** A relation asks for a value that is wrong by itself, and has been refused already. */
final class UnsettledValueException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnsettledValueException(String key) {
    super(key);
  }
}
