package io.idembox.runtime;

/**
 * A record's value cannot be decoded. Names the record, and has the decoder's error as its cause.
 */
public final class UndecodableRecordException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  UndecodableRecordException(String coordinates, Throwable cause) {
    super("The value of " + coordinates + " cannot be decoded", cause);
  }
}
