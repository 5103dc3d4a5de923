package io.idembox.runtime;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the handlers fare, over all partitions: the breaker against bad deploys. After many records
 * in a row that were given up, without one that was handled, the consumer makes one attempt for
 * each of longer and longer pauses, so that a faulty handler does not drain a topic into the dead
 * letters. Records that cannot be read don't count: they are their producer's fault. Thread-safe.
 */
final class HandlerHealth {
  private static final Logger log = LoggerFactory.getLogger(HandlerHealth.class);

  private final String consumer;
  private final Breaker breaker;
  private final AtomicLong successes = new AtomicLong();

  HandlerHealth(String consumer, Backoff backoff) {
    this.consumer = consumer;
    this.breaker = new Breaker(backoff);
  }

  /** A record was given up. */
  void gaveUp() {
    if (breaker.failed(new Object())) {
      log.error(
          "Consumer {} gave up {} records in a row and handled none in between; it makes one attempt"
              + " at a time, the next in {} ms, until one succeeds. Look at the last deploy, then at"
              + " the dead letters",
          consumer,
          breaker.inARow(),
          breaker.pause().toMillis());
    }
  }

  /** A new record was handled. */
  void succeeded() {
    successes.incrementAndGet();
    if (breaker.succeeded()) {
      log.info("Consumer {} handles records again, at full speed", consumer);
    }
  }

  /** How many batches with new records were committed. */
  long successes() {
    return successes.get();
  }

  /** Whether attempts are made one at a time. */
  boolean isOpen() {
    return breaker.isOpen();
  }

  /** Asks for an attempt: empty means that it may be made, and else how long to wait first. */
  Optional<Duration> tryAttempt() {
    return breaker.tryAttempt();
  }

  String detail() {
    return breaker.inARow() + " records in a row were given up, and none was handled in between";
  }
}
