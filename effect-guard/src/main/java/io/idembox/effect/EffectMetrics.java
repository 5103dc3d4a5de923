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
    PERFORMED(true),
    REPLAYED(true),
    NOT_PERFORMED(true),
    IN_PROGRESS(true),
    IN_DOUBT(true),
    REJECTED(true),
    /** A call found another request stored under its key, and was refused. */
    MISMATCH(true),
    /** The store failed and nothing ran. */
    UNAVAILABLE(true),
    /** A caller found the key held and waited. */
    WAITED(false),
    /** A call found another request stored under its key, and got the old receipt. */
    OTHER_REQUEST(false),
    /** Run without protection, under {@link OnStoreFailure#OPEN}. */
    UNGUARDED(false),
    LEASE_LOST(false),
    /** A run ended after another had taken its key over. */
    LATE_COMPLETION(false),
    /** A run's end could not be stored yet; the guard goes on trying. */
    UNRECORDED(false),
    RECEIPT_NOT_KEPT(false),
    /** The store lost its data; of no effect in particular, so with an empty name. */
    DATA_LOST(false);

    private final boolean outcome;

    Event(boolean outcome) {
      this.outcome = outcome;
    }

    /** Whether it is how a call ended; a call with several runs counts each run's end. */
    public boolean outcome() {
      return outcome;
    }
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
