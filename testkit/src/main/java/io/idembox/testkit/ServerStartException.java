package io.idembox.testkit;

import java.io.Serial;

/** A server did not start: the message names the server and the reason. */
public final class ServerStartException extends TestkitException {
  @Serial private static final long serialVersionUID = 1L;

  ServerStartException(String message) {
    super(message);
  }

  ServerStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
