package io.idembox.runtime;

import org.jspecify.annotations.Nullable;

/** The root of what the consumer runtime throws. */
public abstract class ConsumerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ConsumerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
