package io.idembox.service;

import org.jspecify.annotations.Nullable;

/** A server cannot be reached or used; the message names it and holds no secret. */
final class ServerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ServerException(String message) {
    this(message, null);
  }

  ServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
