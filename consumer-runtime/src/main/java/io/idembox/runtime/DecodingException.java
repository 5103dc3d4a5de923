package io.idembox.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Bytes that are not what a decoder reads; or, if it is temporary, bytes that cannot be read now
 * because of something else. Its message is printed in logs: it says what is wrong and where, and
 * holds nothing of the bytes themselves.
 */
public final class DecodingException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  private final boolean temporary;

  /** For decoders of your own; {@code message} must not quote the value. */
  public DecodingException(String message) {
    this(message, false, null);
  }

  private DecodingException(String message, boolean temporary, @Nullable Throwable cause) {
    super(message, cause);
    this.temporary = temporary;
  }

  /**
   * The record may be fine: a service that the decoder needs is away, a schema registry for
   * instance. The record is kept and tried again without end, as in an outage of the database.
   */
  public static DecodingException temporary(String message, @Nullable Throwable cause) {
    return new DecodingException(message, true, cause);
  }

  /** Whether the same bytes may be decoded later. */
  public boolean isTemporary() {
    return temporary;
  }
}
