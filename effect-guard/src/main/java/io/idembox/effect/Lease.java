package io.idembox.effect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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
  private @Nullable List<Runnable> whenLost;
  private boolean lossNoticed;
  private boolean codeEnded;

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

  /** Runs it when the loss is noticed; at once if it has been. */
  void onLost(Runnable listener) {
    synchronized (this) {
      if (codeEnded) {
        return;
      }
      if (!lossNoticed) {
        if (whenLost == null) {
          whenLost = new ArrayList<>(1);
        }
        whenLost.add(listener);
        return;
      }
    }
    listener.run();
  }

  /** Answers whether somebody wants to be told. */
  synchronized boolean noticeLoss() {
    lossNoticed = true;
    return whenLost != null;
  }

  /** Runs what is to run, once. Under the lock, so that nothing runs after the code has ended. */
  synchronized void tellLost(Consumer<Throwable> failed) {
    List<Runnable> listeners = whenLost == null ? List.of() : whenLost;
    whenLost = null;
    for (Runnable listener : listeners) {
      try {
        listener.run();
      } catch (Throwable e) {
        failed.accept(e);
      }
    }
  }

  synchronized void codeEnded() {
    codeEnded = true;
    whenLost = null;
  }

  /** The store answered that the record carries another's token. */
  void markTakenOver() {
    takenOver = true;
  }

  boolean takenOver() {
    return takenOver;
  }
}
