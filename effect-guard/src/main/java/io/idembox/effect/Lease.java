package io.idembox.effect;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * One holder's lease, counted by its own monotonic clock from before the request that won or
 * renewed it was sent.
 */
final class Lease {
  private final EffectId id;
  private final EffectToken token;
  private final Duration length;
  private final LongSupplier nanos;
  private volatile long until;
  private volatile boolean takenOver;

  Lease(EffectId id, EffectToken token, Duration length, LongSupplier nanos, long askedAt) {
    this.id = id;
    this.token = token;
    this.length = length;
    this.nanos = nanos;
    this.until = askedAt + length.toNanos();
  }

  EffectId id() {
    return id;
  }

  EffectToken token() {
    return token;
  }

  Duration length() {
    return length;
  }

  Duration remaining() {
    long left = until - nanos.getAsLong();
    return takenOver || left <= 0 ? Duration.ZERO : Duration.ofNanos(left);
  }

  boolean lost() {
    return takenOver || until - nanos.getAsLong() <= 0;
  }

  /**
   * Whether enough is left to start: a claim that took long to answer leaves too little before a
   * successor may come.
   */
  boolean fresh() {
    return !takenOver && until - nanos.getAsLong() > length.toNanos() / 2;
  }

  boolean dueForRenewal() {
    return !takenOver && until - nanos.getAsLong() <= length.toNanos() * 2 / 3;
  }

  void renewed(long askedAt) {
    until = askedAt + length.toNanos();
  }

  /** The store answered that the record carries another's token. */
  void markTakenOver() {
    takenOver = true;
  }

  boolean takenOver() {
    return takenOver;
  }
}
