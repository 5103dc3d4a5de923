package io.idembox.effect;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the store how runs ended, and makes their outcomes of its answers. */
final class Settling {
  private static final Logger LOG = LoggerFactory.getLogger(Settling.class);
  private static final long LONGEST_PATIENCE = Duration.ofSeconds(10).toNanos();
  private static final long PAUSE = Duration.ofMillis(50).toNanos();

  private final GuardParts parts;
  private final Outcomes outcomes;

  Settling(GuardParts parts, Outcomes outcomes) {
    this.parts = parts;
    this.outcomes = outcomes;
  }

  /** Stores a run's end, trying again while the lease is young; then leaves it to the afterwork. */
  <R> EffectOutcome<R> settle(GuardedCall<R> call, EffectRunner.Claimed claimed, RunEnd<R> end) {
    long patience = Math.min(call.policy().lease().toNanos() / 3, LONGEST_PATIENCE);
    long startedAt = parts.nanos().getAsLong();
    // An interrupt is the caller's, for later: with its flag set no pause would be one.
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          long askedAt = parts.nanos().getAsLong();
          StoreReply reply = parts.calls().awaitUninterruptibly(parts.calls().apply(end.command()));
          parts.time(call.effect(), EffectMetrics.Timing.COMPLETE, askedAt);
          return stored(call, claimed, end, reply);
        } catch (EffectStoreException e) {
          if (e.kind() == EffectStoreException.Kind.CLOSED
              || parts.nanos().getAsLong() - startedAt > patience) {
            return leave(call, claimed, end, e);
          }
          LockSupport.parkNanos(this, PAUSE);
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The store has answered. */
  <R> EffectOutcome<R> stored(
      GuardedCall<R> call, EffectRunner.Claimed claimed, RunEnd<R> end, StoreReply reply) {
    parts.leases().drop(claimed.lease());
    if (reply.code() != StoreReply.Code.OK && reply.code() != StoreReply.Code.OK_ABSENT) {
      return late(call, end, reply);
    }
    if (reply.code() == StoreReply.Code.OK_ABSENT) {
      LOG.warn(
          "Effect {} ({}) ended and its record was gone: somebody settled it meanwhile, or the store lost data",
          parts.shown(call.key()),
          call.effect());
    }
    EffectRecord before = claimed.reply().record();
    boolean doubtBefore = before != null && before.doubtBefore;
    Instant since = doubtBefore && before != null ? before.since() : reply.at();
    return outcomes.count(call, outcome(call, end, true, doubtBefore, since));
  }

  /** The store has not answered: the end is stored when it does. */
  <R> EffectOutcome<R> leave(
      GuardedCall<R> call, EffectRunner.Claimed claimed, RunEnd<R> end, EffectStoreException why) {
    Lease lease = claimed.lease();
    boolean settles = end.kind() == RunEnd.Kind.DONE || end.kind() == RunEnd.Kind.REJECTED;
    if (!settles) {
      // In doubt it is anyway once the lease has ended; renewing would only keep others away for
      // longer.
      parts.leases().drop(lease);
    }
    parts.count(call.effect(), EffectMetrics.Event.UNRECORDED);
    LOG.error(
        "Effect {} ({}) ended ({}) and the store does not take it; it is tried again in the background: {}",
        parts.shown(call.key()),
        call.effect(),
        end.kind(),
        why.getMessage());
    parts.afterwork().add(lease.token(), end.command(), () -> parts.leases().drop(lease));
    return unrecorded(call, end, claimed.reply().at());
  }

  <R> EffectOutcome<R> unrecorded(GuardedCall<R> call, RunEnd<R> end, Instant since) {
    return outcomes.count(call, outcome(call, end, false, false, since));
  }

  /** Frees a claim that never started, as soon as the store answers. */
  void releaseLater(EffectId id, EffectToken token) {
    parts.afterwork().add(token, new StoreCommand.Release(id, token), () -> {});
  }

  private <R> EffectOutcome<R> late(GuardedCall<R> call, RunEnd<R> end, StoreReply reply) {
    parts.count(call.effect(), EffectMetrics.Event.LATE_COMPLETION);
    LOG.warn(
        "Effect {} ({}) ended ({}) after its key had been taken over; the record is left alone: {}",
        parts.shown(call.key()),
        call.effect(),
        end.kind(),
        reply.record());
    EffectRecord record = reply.record();
    if (end.kind() == RunEnd.Kind.DONE
        && (record == null || (!record.settled() && !record.unsettled()))) {
      return unrecorded(call, end, reply.at());
    }
    // The record's word, so that all callers get one and the same receipt.
    return outcomes.count(call, outcomes.of(call, reply, end.cause()));
  }

  private static <R> EffectOutcome<R> outcome(
      GuardedCall<R> call, RunEnd<R> end, boolean recorded, boolean doubtBefore, Instant since) {
    Throwable cause = end.cause();
    Receipt<R> receipt = end.receipt();
    if (receipt != null) {
      return new EffectOutcome.Performed<>(call.key(), receipt, recorded);
    } else if (end.kind() == RunEnd.Kind.REJECTED
        && cause instanceof EffectRejectedException rejected) {
      return new EffectOutcome.Rejected<>(call.key(), rejected.reason(), false);
    } else if (end.kind() == RunEnd.Kind.NOT_PERFORMED
        && cause instanceof EffectNotPerformedException not
        && !doubtBefore) {
      return new EffectOutcome.NotPerformed<>(call.key(), not);
    }
    // This run did nothing, perhaps, but an earlier one may have.
    return new EffectOutcome.InDoubt<>(call.key(), since, cause);
  }
}
