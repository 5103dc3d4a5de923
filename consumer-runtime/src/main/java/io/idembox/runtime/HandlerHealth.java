package io.idembox.runtime;

import java.time.Duration;
import java.util.Optional;
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
  static final int MOST_IN_A_ROW = 20;

  private final String consumer;
  private final Backoff backoff;
  private int inARow;
  private long successes;
  private long nextAttempt;

  HandlerHealth(String consumer, Backoff backoff) {
    this.consumer = consumer;
    this.backoff = backoff;
  }

  /** A record was given up. */
  synchronized void gaveUp() {
    inARow++;
    if (!isOpen()) {
      return;
    }
    Duration pause = pause();
    nextAttempt = System.nanoTime() + pause.toNanos();
    if (inARow == MOST_IN_A_ROW) {
      log.error(
          "Consumer {} gave up {} records in a row and handled none in between; it makes one attempt"
              + " every {} ms, and slower, until one succeeds. Look at the last deploy, then at the"
              + " dead letters",
          consumer,
          inARow,
          pause.toMillis());
    }
  }

  /** A new record was handled. */
  synchronized void succeeded() {
    if (isOpen()) {
      log.info("Consumer {} handles records again, at full speed", consumer);
    }
    inARow = 0;
    successes++;
  }

  /** How many batches with new records were committed. */
  synchronized long successes() {
    return successes;
  }

  /** Whether attempts are made one at a time. */
  synchronized boolean isOpen() {
    return inARow >= MOST_IN_A_ROW;
  }

  /** Asks for an attempt: empty means that it may be made, and else how long to wait first. */
  synchronized Optional<Duration> tryAttempt() {
    if (!isOpen()) {
      return Optional.empty();
    }
    long wait = nextAttempt - System.nanoTime();
    if (wait > 0) {
      return Optional.of(Duration.ofNanos(wait));
    }
    nextAttempt = System.nanoTime() + pause().toNanos();
    return Optional.empty();
  }

  synchronized String detail() {
    return inARow + " records in a row were given up, and none was handled in between";
  }

  private Duration pause() {
    return backoff.after(inARow - MOST_IN_A_ROW + 1);
  }
}
