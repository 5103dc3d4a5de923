package io.idembox.runtime;

/**
 * A record's value cannot be decoded. The message names the record and the decoder's error by its
 * class, since that error's own message may quote the payload; it is the cause.
 */
public final class UndecodableRecordException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  UndecodableRecordException(String coordinates, Throwable cause) {
    super("The value of " + coordinates + " cannot be decoded: " + what(cause), cause);
  }

  private static String what(Throwable cause) {
    return cause instanceof DecodingException known
        ? String.valueOf(known.getMessage())
        : cause.getClass().getName();
  }
}
