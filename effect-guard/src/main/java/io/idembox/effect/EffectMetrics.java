package io.idembox.effect;

import java.time.Duration;

/**
 * Where a guard counts. Called on the guard's working threads: implementations are thread-safe and
 * quick.
 */
public interface EffectMetrics {
  /** Counts nothing. */
  EffectMetrics NONE =
      new EffectMetrics() {
        @Override
        public void count(String effect, Event event) {}

        @Override
        public void time(String effect, Timing timing, Duration elapsed) {}

        @Override
        public void storeFailed(EffectStoreException.Kind kind) {}
      };

  /** What is counted. */
  enum Event {
    PERFORMED,
    REPLAYED,
    NOT_PERFORMED,
    /** A caller found the key held and waited. */
    WAITED,
    IN_PROGRESS,
    IN_DOUBT,
    REJECTED,
    /** A request differed from the first one, whether it was refused or got the receipt. */
    MISMATCH,
    /** Run without protection, under {@link OnStoreFailure#OPEN}. */
    UNGUARDED,
    /** The store failed and nothing ran. */
    UNAVAILABLE,
    LEASE_LOST,
    /** A run ended after another had taken its key over. */
    LATE_COMPLETION,
    /** A run's end could not be stored yet; the guard goes on trying. */
    UNRECORDED,
    RECEIPT_NOT_KEPT,
    /** The store lost its data; counted for the namespace's guard, not for an effect. */
    DATA_LOST
  }

  /** What is timed. */
  enum Timing {
    CLAIM,
    COMPLETE,
    EFFECT
  }

  void count(String effect, Event event);

  void time(String effect, Timing timing, Duration elapsed);

  void storeFailed(EffectStoreException.Kind kind);
}
