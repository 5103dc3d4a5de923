package io.idembox.runtime;

/**
 * Bytes that are not what a decoder reads. Its message is printed in logs: it says what is wrong
 * and where, and holds nothing of the bytes themselves.
 */
public final class DecodingException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  /** For decoders of your own; {@code message} must not quote the value. */
  public DecodingException(String message) {
    super(message, null);
  }
}
