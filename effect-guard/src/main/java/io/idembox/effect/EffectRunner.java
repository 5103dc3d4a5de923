package io.idembox.effect;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The life of one call: claim, run, settle; waits and retries between. Runs on the thread that
 * calls it.
 */
final class EffectRunner {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);
  private static final Duration ASK_AGAIN = Duration.ofMillis(20);
  private static final int SLOW_CLAIMS = 3;

  private final GuardParts parts;
  private final CodeRun codeRun;
  private final Settling settling;
  private final Outcomes outcomes;
  private final BooleanSupplier closed;

  EffectRunner(GuardParts parts, Outcomes outcomes, BooleanSupplier closed) {
    this.parts = parts;
    this.closed = closed;
    this.outcomes = outcomes;
    this.settling = new Settling(parts, outcomes);
    this.codeRun = new CodeRun(parts, settling);
  }

  CodeRun codeRun() {
    return codeRun;
  }

  Settling settling() {
    return settling;
  }

  /** A claim that the store answered. */
  record Claimed(Lease lease, StoreReply reply) {}

  /**
   * Runs a call to its outcome.
   *
   * @throws EffectStoreException if the store failed and nothing ran
   * @throws EffectInterruptedException if the thread was interrupted and nothing ran
   */
  <R> EffectOutcome<R> run(GuardedCall<R> call) {
    return run(call, 0, null, null);
  }

  /** Runs a call whose claim was sent with this token and not answered. */
  <R> EffectOutcome<R> runUnanswered(GuardedCall<R> call, EffectToken token) {
    return run(call, 0, null, token);
  }

  /**
   * Goes on after a first run that a bulk has made; answers that run's outcome if it comes to no
   * other.
   */
  <R> EffectOutcome<R> runOn(GuardedCall<R> call, EffectOutcome<R> first) {
    return again(call, first, 1) && pause(backoff(call.policy(), 1))
        ? run(call, 1, first, null)
        : first;
  }

  private <R> EffectOutcome<R> run(
      GuardedCall<R> call,
      int runs,
      @Nullable EffectOutcome<R> first,
      @Nullable EffectToken unanswered) {
    long giveUp = parts.nanos().getAsLong() + call.patience().toNanos();
    Duration pause = FIRST_PAUSE;
    int slow = 0;
    int done = runs;
    boolean waited = false;
    EffectOutcome<R> last = first;
    EffectToken sent = unanswered;
    while (true) {
      if (closed.getAsBoolean() && sent == null) {
        if (last != null) {
          return last;
        }
        parts.count(call.effect(), EffectMetrics.Event.UNAVAILABLE);
        throw EffectGuard.closedException(parts.namespace());
      }
      Lease own = sent == null ? parts.leases().of(call.id()) : null;
      if (own != null) {
        long left = giveUp - parts.nanos().getAsLong();
        if (left <= 0) {
          return outcomes.runsHere(call, own);
        }
        if (!waited) {
          waited = true;
          parts.count(call.effect(), EffectMetrics.Event.WAITED);
        }
        if (!pause(shortest(jitter(pause), Duration.ofNanos(left)))) {
          throw new EffectInterruptedException(parts.shown(call.key()), null);
        }
        pause = shortest(pause.multipliedBy(2), LONGEST_PAUSE);
        continue;
      }
      EffectToken token = sent != null ? sent : EffectToken.fresh();
      Claimed claimed;
      try {
        claimed = claim(call, token, sent != null);
        sent = null;
      } catch (EffectStoreException e) {
        if (opens(call, e)) {
          return codeRun.unguarded(call, token, e);
        }
        if (last != null) {
          return last;
        }
        parts.count(call.effect(), EffectMetrics.Event.UNAVAILABLE);
        throw e;
      }
      switch (claimed.reply().code()) {
        case OK -> {
          if (closed.getAsBoolean()) {
            // Closed while the claim was on its way: it is given back, and the next turn ends here.
            settling.releaseLater(call.id(), token);
            continue;
          }
          if (!claimed.lease().fresh()) {
            settling.releaseLater(call.id(), token);
            if (++slow == SLOW_CLAIMS) {
              parts.count(call.effect(), EffectMetrics.Event.UNAVAILABLE);
              throw tooSlow(call);
            }
            continue;
          }
          last = codeRun.run(call, claimed);
          done++;
          if (!again(call, last, done) || !pause(backoff(call.policy(), done))) {
            return last;
          }
        }
        case HELD -> {
          long left = giveUp - parts.nanos().getAsLong();
          if (left <= 0) {
            return outcomes.standing(call, claimed.reply());
          }
          if (!waited) {
            waited = true;
            parts.count(call.effect(), EffectMetrics.Event.WAITED);
          }
          if (!pause(shortest(jitter(pause), Duration.ofNanos(left)))) {
            throw new EffectInterruptedException(parts.shown(call.key()), null);
          }
          pause = shortest(pause.multipliedBy(2), LONGEST_PAUSE);
        }
        default -> {
          return outcomes.standing(call, claimed.reply());
        }
      }
    }
  }

  /** Whether a run that did not finish the effect is followed by another one in the same call. */
  private static <R> boolean again(GuardedCall<R> call, EffectOutcome<R> outcome, int runs) {
    if (runs >= call.policy().maxAttempts() || Thread.currentThread().isInterrupted()) {
      return false;
    }
    return switch (outcome.kind()) {
      case NOT_PERFORMED -> true;
      // Under HOLD a person decides; after a time-out the code may still run, and holds the key.
      case IN_DOUBT ->
          call.takesOver()
              && outcome instanceof EffectOutcome.InDoubt<R> doubt
              && !(doubt.cause() instanceof AttemptTimeoutException);
      default -> false;
    };
  }

  boolean opens(GuardedCall<?> call, EffectStoreException e) {
    return call.policy().onStoreFailure() == OnStoreFailure.OPEN
        && e.kind() != EffectStoreException.Kind.CLOSED;
  }

  /**
   * Claims, and asks again with the same token while an answer is missing: if the first claim was
   * applied, the store knows it as ours.
   */
  private Claimed claim(GuardedCall<?> call, EffectToken token, boolean sentBefore) {
    StoreCommand.Claim claim = call.claim(token, parts.owner());
    long patience = 2 * parts.calls().store().commandTimeout().toNanos();
    long startedAt = parts.nanos().getAsLong();
    boolean maybeApplied = sentBefore;
    while (true) {
      long askedAt = parts.nanos().getAsLong();
      Lease lease = new Lease(call.id(), token, call.policy().lease(), parts.nanos(), askedAt);
      try {
        StoreReply reply = parts.calls().await(parts.calls().apply(claim));
        parts.time(call.effect(), EffectMetrics.Timing.CLAIM, askedAt);
        return new Claimed(lease, reply);
      } catch (InterruptedException e) {
        settling.releaseLater(call.id(), token);
        Thread.currentThread().interrupt();
        throw new EffectInterruptedException(parts.shown(call.key()), e);
      } catch (EffectStoreException e) {
        maybeApplied |= e.maybeApplied();
        boolean inTime = parts.nanos().getAsLong() - startedAt < patience;
        if (maybeApplied && unanswered(e) && inTime && pause(ASK_AGAIN)) {
          continue;
        }
        if (maybeApplied && !opens(call, e)) {
          settling.releaseLater(call.id(), token);
        }
        throw e;
      }
    }
  }

  private static boolean unanswered(EffectStoreException e) {
    return e.kind() == EffectStoreException.Kind.TIMEOUT
        || e.kind() == EffectStoreException.Kind.UNREACHABLE;
  }

  private EffectStoreException tooSlow(GuardedCall<?> call) {
    return new EffectStoreException(
        EffectStoreException.Kind.TIMEOUT,
        "The effect store took more than half the lease (%s) of effect %s to answer, %d times: nothing was run"
            .formatted(call.policy().lease(), parts.shown(call.key()), SLOW_CLAIMS),
        null);
  }

  private static Duration backoff(EffectPolicy policy, int runs) {
    int doublings = Math.min(runs - 1, 20);
    return jitter(shortest(policy.backoff().multipliedBy(1L << doublings), policy.maxBackoff()));
  }

  private static Duration jitter(Duration pause) {
    long nanos = pause.toNanos();
    return nanos <= 1
        ? pause
        : Duration.ofNanos(nanos - ThreadLocalRandom.current().nextLong(nanos / 2));
  }

  private static Duration shortest(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /** Answers false if the thread is interrupted, and leaves its flag set. */
  private static boolean pause(Duration pause) {
    try {
      Thread.sleep(pause.toMillis(), pause.toNanosPart() % 1_000_000);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
