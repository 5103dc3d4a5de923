package io.idembox.runtime;

/** The consumer ended though nobody closed it. Its cause says why. */
public final class ConsumerFailedException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  ConsumerFailedException(String consumer, Throwable cause) {
    super("Consumer " + consumer + " ended by itself: " + Causes.summary(cause), cause);
  }
}
