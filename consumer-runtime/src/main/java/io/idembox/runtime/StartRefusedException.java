package io.idembox.runtime;

import org.jspecify.annotations.Nullable;

/**
 * The consumer did not start: a server cannot be reached or used, or a setting contradicts what was
 * found there. Nothing was read. The message names the thing, the rule and the remedy; it never
 * holds a password.
 */
public final class StartRefusedException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  StartRefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
