package io.idembox.runtime;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Counts failures in a row, of different things. From a number of them on it is open: one attempt
 * may be made for each of longer and longer pauses, until one succeeds. Thread-safe.
 */
final class Breaker {
  static final int MOST_IN_A_ROW = 20;

  private final Backoff backoff;
  private final Set<Object> failed = new HashSet<>();
  private int failuresWhileOpen;
  private long nextAttempt;

  Breaker(Backoff backoff) {
    this.backoff = backoff;
  }

  /**
   * An attempt failed.
   *
   * @param what only failures of different things count
   * @return whether this one opened it
   */
  synchronized boolean failed(Object what) {
    if (isOpen()) {
      failuresWhileOpen++;
      putOff();
      return false;
    }
    failed.add(what);
    if (isOpen()) {
      putOff();
      return true;
    }
    return false;
  }

  /** An attempt succeeded; returns whether that closed it. */
  synchronized boolean succeeded() {
    boolean closed = isOpen();
    failed.clear();
    failuresWhileOpen = 0;
    return closed;
  }

  synchronized boolean isOpen() {
    return failed.size() >= MOST_IN_A_ROW;
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
    putOff();
    return Optional.empty();
  }

  /** How many failures there were in a row. */
  synchronized int inARow() {
    return failed.size() + failuresWhileOpen;
  }

  /** Until the next attempt, if it is open. */
  synchronized Duration pause() {
    return Duration.ofNanos(Math.max(0, nextAttempt - System.nanoTime()));
  }

  private void putOff() {
    nextAttempt = System.nanoTime() + backoff.after(1 + failuresWhileOpen).toNanos();
  }
}
