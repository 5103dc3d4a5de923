package io.idembox.effect;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How a call of the guard ended. */
public sealed interface EffectOutcome<R> {
  /** Which of the outcomes it is. */
  enum Kind {
    PERFORMED,
    REPLAYED,
    NOT_PERFORMED,
    IN_PROGRESS,
    IN_DOUBT,
    REJECTED,
    MISMATCH,
    UNAVAILABLE
  }

  EffectKey key();

  Kind kind();

  /**
   * This call did it.
   *
   * @param recorded whether the store knows. If false, the store failed after the effect had
   *     happened: the guard goes on trying to record it, and the caller should treat the effect as
   *     done
   */
  record Performed<R>(EffectKey key, Receipt<R> receipt, boolean recorded)
      implements EffectOutcome<R> {
    @Override
    public Kind kind() {
      return Kind.PERFORMED;
    }
  }

  /**
   * An earlier call did it, or another one while this waited; nothing ran in this call.
   *
   * @param at when it was done, to the second
   * @param otherRequest whether that was with another request, under {@link OnMismatch#WARN}
   */
  record Replayed<R>(EffectKey key, Receipt<R> receipt, Instant at, boolean otherRequest)
      implements EffectOutcome<R> {
    @Override
    public Kind kind() {
      return Kind.REPLAYED;
    }
  }

  /** The code said that it surely did not happen, each time it was run. The key is free. */
  record NotPerformed<R>(EffectKey key, EffectNotPerformedException cause)
      implements EffectOutcome<R> {
    @Override
    public Kind kind() {
      return Kind.NOT_PERFORMED;
    }
  }

  /** Another holds the key. Nothing ran in this call. */
  record InProgress<R>(EffectKey key, String owner, Duration leaseRemaining)
      implements EffectOutcome<R> {
    @Override
    public Kind kind() {
      return Kind.IN_PROGRESS;
    }
  }

  /**
   * Unknown. Under RETRY it may be tried again at once, with the same provider key; under HOLD it
   * waits for a person.
   *
   * @param cause what this call's own attempt threw; null if nothing ran in this call
   */
  record InDoubt<R>(EffectKey key, Instant since, @Nullable Throwable cause)
      implements EffectOutcome<R> {
    @Override
    public Kind kind() {
      return Kind.IN_DOUBT;
    }
  }

  /** The code declared it refused for good, in this call or, if replayed, in an earlier one. */
  record Rejected<R>(EffectKey key, String reason, boolean replayed) implements EffectOutcome<R> {
    @Override
    public Kind kind() {
      return Kind.REJECTED;
    }
  }

  /** The key was used before with another request. Nothing ran in this call. */
  record Mismatch<R>(EffectKey key) implements EffectOutcome<R> {
    @Override
    public Kind kind() {
      return Kind.MISMATCH;
    }
  }

  /** The store failed and nothing ran. Only a bulk answers so; the other calls throw the cause. */
  record Unavailable<R>(EffectKey key, EffectStoreException cause) implements EffectOutcome<R> {
    @Override
    public Kind kind() {
      return Kind.UNAVAILABLE;
    }
  }
}
