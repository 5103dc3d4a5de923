package io.idembox.effect;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes outcomes out of what stands in the store, and exceptions out of outcomes. */
final class Outcomes {
  private static final Logger SKIPS = LoggerFactory.getLogger("io.idembox.effect.skips");

  private final GuardParts parts;

  Outcomes(GuardParts parts) {
    this.parts = parts;
  }

  /** The outcome of a call that runs nothing, counted; a single one is logged too. */
  <R> EffectOutcome<R> standing(GuardedCall<R> call, StoreReply reply) {
    EffectOutcome<R> outcome = of(call, reply, null);
    count(call, outcome);
    if (outcome.kind() == EffectOutcome.Kind.REPLAYED && SKIPS.isInfoEnabled()) {
      SKIPS.info(
          "Effect {} ({}) was done before: its receipt is replayed",
          parts.shown(call.key()),
          call.effect());
    }
    return outcome;
  }

  /** The outcome of a call whose effect runs in this process, counted. */
  <R> EffectOutcome<R> runsHere(GuardedCall<R> call, Lease own) {
    return count(call, new EffectOutcome.InProgress<>(call.key(), parts.owner(), own.remaining()));
  }

  /**
   * As {@link #standing}, for a record that a look-up found settled; not logged, for a bulk sums
   * up.
   */
  <R> EffectOutcome<R> settled(GuardedCall<R> call, EffectRecord record) {
    EffectOutcome<R> outcome =
        of(call, new StoreReply(StoreReply.Code.SETTLED, Instant.EPOCH, record), null);
    count(call, outcome);
    return outcome;
  }

  <R> EffectOutcome<R> of(GuardedCall<R> call, StoreReply reply, @Nullable Throwable cause) {
    EffectKey key = call.key();
    EffectRecord record = reply.record();
    if (record == null) {
      return new EffectOutcome.InDoubt<>(key, reply.at(), cause);
    }
    return switch (record.state()) {
      case DONE, REJECTED -> ended(call, record);
      case CLAIMED -> {
        Duration left = Duration.between(reply.at(), record.leaseUntil());
        yield new EffectOutcome.InProgress<>(
            key, record.owner(), left.isNegative() ? Duration.ZERO : left);
      }
      case IN_DOUBT ->
          reply.code() == StoreReply.Code.MISMATCH
              ? new EffectOutcome.Mismatch<>(key)
              : new EffectOutcome.InDoubt<>(key, record.since(), cause);
      case UNREADABLE ->
          new EffectOutcome.InDoubt<>(
              key,
              reply.at(),
              new EffectRecordUnreadableException(key, parts.shown(key), describe(record)));
      case FREE -> new EffectOutcome.InDoubt<>(key, reply.at(), cause);
    };
  }

  private <R> EffectOutcome<R> ended(GuardedCall<R> call, EffectRecord record) {
    boolean other =
        call.fingerprint() != 0
            && record.fingerprint() != 0
            && call.fingerprint() != record.fingerprint();
    if (other) {
      if (call.policy().fingerprint() == OnMismatch.REJECT) {
        return new EffectOutcome.Mismatch<>(call.key());
      }
      parts.count(call.effect(), EffectMetrics.Event.OTHER_REQUEST);
      SKIPS.warn(
          "Effect {} ({}) was done with another request before: its old receipt is replayed",
          parts.shown(call.key()),
          call.effect());
    }
    if (record.state() == EffectRecord.State.REJECTED) {
      return new EffectOutcome.Rejected<>(call.key(), record.reason(), true);
    }
    return new EffectOutcome.Replayed<>(
        call.key(),
        Receipt.stored(
            record.receiptKept(), record.payload, bytes -> read(call, record.receiptKept(), bytes)),
        record.since(),
        other);
  }

  private <R> @Nullable R read(GuardedCall<R> call, boolean kept, byte[] bytes) {
    if (!kept) {
      throw new EffectReceiptNotKeptException(call.key(), parts.shown(call.key()), call.effect());
    }
    try {
      return parts.codec().decode(bytes, call.receiptType());
    } catch (Exception | StackOverflowError | LinkageError e) {
      throw new EffectReceiptUnreadableException(
          call.key(), parts.shown(call.key()), call.effect(), call.receiptType(), e);
    }
  }

  <R> EffectOutcome<R> count(GuardedCall<R> call, EffectOutcome<R> outcome) {
    switch (outcome.kind()) {
      case PERFORMED -> parts.count(call.effect(), EffectMetrics.Event.PERFORMED);
      case REPLAYED -> parts.count(call.effect(), EffectMetrics.Event.REPLAYED);
      case NOT_PERFORMED -> parts.count(call.effect(), EffectMetrics.Event.NOT_PERFORMED);
      case IN_PROGRESS -> parts.count(call.effect(), EffectMetrics.Event.IN_PROGRESS);
      case IN_DOUBT -> parts.count(call.effect(), EffectMetrics.Event.IN_DOUBT);
      case REJECTED -> parts.count(call.effect(), EffectMetrics.Event.REJECTED);
      case MISMATCH -> parts.count(call.effect(), EffectMetrics.Event.MISMATCH);
      case UNAVAILABLE -> parts.count(call.effect(), EffectMetrics.Event.UNAVAILABLE);
    }
    return outcome;
  }

  /**
   * The receipt, or the exception that says why there is none.
   *
   * @throws EffectException by the outcome's kind
   */
  <R> @Nullable R receipt(EffectOutcome<R> outcome) {
    if (outcome instanceof EffectOutcome.Performed<R> performed) {
      return performed.receipt().value();
    } else if (outcome instanceof EffectOutcome.Replayed<R> replayed) {
      return replayed.receipt().value();
    }
    String shown = parts.shown(outcome.key());
    if (outcome instanceof EffectOutcome.NotPerformed<R> not) {
      throw InsideEffect.operation() == null
          ? not.cause()
          : new EffectNotPerformedException(not.cause());
    } else if (outcome instanceof EffectOutcome.Rejected<R> rejected) {
      throw new EffectRejectedException(
          shown, rejected.reason(), rejected.replayed(), InsideEffect.operation() != null);
    } else if (outcome instanceof EffectOutcome.InProgress<R> busy) {
      throw new EffectInProgressException(busy.key(), shown, busy.owner(), busy.leaseRemaining());
    } else if (outcome instanceof EffectOutcome.InDoubt<R> doubt) {
      if (doubt.cause() instanceof EffectRecordUnreadableException unreadable) {
        throw unreadable;
      }
      throw new EffectInDoubtException(doubt.key(), shown, doubt.since(), doubt.cause());
    } else if (outcome instanceof EffectOutcome.Unavailable<R> unavailable) {
      throw unavailable.cause();
    }
    throw new EffectMismatchException(outcome.key(), shown);
  }

  private static String describe(EffectRecord record) {
    byte[] stored = record.payload;
    return stored.length == 0
        ? "empty"
        : "%d bytes, format %d".formatted(stored.length, (stored[0] & 0xf0) >> 4);
  }
}
