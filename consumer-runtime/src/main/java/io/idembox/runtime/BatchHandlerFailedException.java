package io.idembox.runtime;

/**
 * A batch handler failed on a list, and nobody knows through which message; the cause is its own.
 */
final class BatchHandlerFailedException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  BatchHandlerFailedException(Throwable cause) {
    super("A batch handler failed", cause);
  }
}
