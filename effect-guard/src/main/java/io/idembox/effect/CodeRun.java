package io.idembox.effect;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs effect code under a lease, and says how it ended. */
final class CodeRun {
  private static final Logger LOG = LoggerFactory.getLogger(CodeRun.class);

  private final GuardParts parts;
  private final Settling settling;

  CodeRun(GuardParts parts, Settling settling) {
    this.parts = parts;
    this.settling = settling;
  }

  /** Runs and settles. The lease is renewed from now until the end is stored. */
  <R> EffectOutcome<R> run(GuardedCall<R> call, EffectRunner.Claimed claimed) {
    hold(call, claimed);
    Duration timeout = call.policy().timeout().orElse(null);
    if (timeout != null) {
      return runWithin(timeout, call, claimed);
    }
    try {
      return settling.settle(call, claimed, perform(call, claimed));
    } catch (Throwable e) {
      // Such as a store that throws what it must not: nobody would end the renewal any more.
      parts.leases().drop(claimed.lease());
      throw e;
    }
  }

  <R> void hold(GuardedCall<R> call, EffectRunner.Claimed claimed) {
    parts.timer().serve(claimed.lease().length());
    parts.leases().hold(claimed.lease(), call.effect(), () -> parts.shown(call.key()));
  }

  /**
   * On another thread, so that the caller can stop waiting. The run itself goes on, keeps its
   * lease, and settles what it ends with: nothing may run beside it.
   */
  private <R> EffectOutcome<R> runWithin(
      Duration timeout, GuardedCall<R> call, EffectRunner.Claimed claimed) {
    AtomicBoolean taken = new AtomicBoolean();
    CompletableFuture<RunEnd<R>> ended = new CompletableFuture<>();
    try {
      parts
          .executor()
          .execute(
              () -> {
                RunEnd<R> end = perform(call, claimed);
                if (taken.compareAndSet(false, true)) {
                  ended.complete(end);
                } else {
                  EffectOutcome<R> late = settling.settle(call, claimed, end);
                  LOG.info(
                      "Effect {} ({}) ended after its caller's time-out: {}",
                      parts.shown(call.key()),
                      call.effect(),
                      late.kind());
                }
              });
    } catch (RejectedExecutionException e) {
      return settling.settle(
          call,
          claimed,
          notPerformed(
              claimed,
              new EffectNotPerformedException("The guard's executor takes no more work", e)));
    }
    boolean interrupted = false;
    try {
      RunEnd<R> end = ended.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      return settling.settle(call, claimed, end);
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (TimeoutException e) {
      // Below: whoever is first, the code's end or this caller's giving up.
    } catch (ExecutionException e) {
      throw new AssertionError("perform answers every failure", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    if (!taken.compareAndSet(false, true)) {
      return settling.settle(call, claimed, ended.join());
    }
    parts.count(call.effect(), EffectMetrics.Event.IN_DOUBT);
    Instant since = claimed.reply().at();
    return new EffectOutcome.InDoubt<>(call.key(), since, new AttemptTimeoutException(timeout));
  }

  /** Runs the code on this thread; answers every failure. */
  <R> RunEnd<R> perform(GuardedCall<R> call, EffectRunner.Claimed claimed) {
    EffectRecord record = claimed.reply().record();
    boolean doubt = record != null && record.doubtBefore;
    int generation = record == null ? 0 : record.generation();
    int number = record == null ? call.attempt() : record.attempts();
    long fence = record == null ? 0 : record.fence;
    EffectAttempt attempt =
        new EffectAttempt(call.id(), generation, number, doubt, fence, claimed.lease());
    return perform(call, claimed.lease(), attempt);
  }

  private <R> RunEnd<R> perform(GuardedCall<R> call, Lease lease, EffectAttempt attempt) {
    long startedAt = parts.nanos().getAsLong();
    String around = InsideEffect.enter(call.effect());
    try {
      if (attempt.earlierAttemptUnknown() && call.resolver() != null) {
        Resolution<R> answer = call.resolver().resolve(attempt);
        if (answer instanceof Resolution.Happened<R> happened) {
          return done(call, lease, happened.receipt());
        }
        if (!(answer instanceof Resolution.DidNotHappen<R>)) {
          // No answer at all, as careless code gives, is not a "no".
          return unknown(
              lease,
              new UnresolvedException(
                  answer instanceof Resolution.StillUnknown<R> unknown
                      ? unknown.reason()
                      : "the resolver answered null"));
        }
      }
      return done(call, lease, call.code().perform(attempt));
    } catch (EffectNotPerformedException e) {
      if (e.ofAnother()) {
        return unknown(lease, e);
      }
      return new RunEnd<>(
          RunEnd.Kind.NOT_PERFORMED, new StoreCommand.Release(lease.id(), lease.token()), null, e);
    } catch (EffectRejectedException e) {
      if (e.ofAnother()) {
        return unknown(lease, e);
      }
      Settlement rejected =
          Settlement.rejected(e.reason(), call.fingerprint(), call.policy().retention());
      return new RunEnd<>(
          RunEnd.Kind.REJECTED,
          new StoreCommand.Settle(lease.id(), lease.token(), rejected),
          null,
          e);
    } catch (Throwable e) {
      // Everything else, errors too, says nothing about what the provider did.
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return unknown(lease, e);
    } finally {
      InsideEffect.leave(around);
      lease.codeEnded();
      parts.time(call.effect(), EffectMetrics.Timing.EFFECT, startedAt);
    }
  }

  /** Runs without the store, as the policy allows; what can be stored later is. */
  <R> EffectOutcome<R> unguarded(GuardedCall<R> call, EffectToken token, EffectStoreException why) {
    parts.count(call.effect(), EffectMetrics.Event.UNGUARDED);
    LOG.warn(
        "Effect {} ({}) runs UNGUARDED, as its policy allows: {}",
        parts.shown(call.key()),
        call.effect(),
        why.getMessage());
    Lease lease =
        new Lease(
            call.id(), token, call.policy().lease(), parts.nanos(), parts.nanos().getAsLong());
    EffectAttempt attempt =
        new EffectAttempt(call.id(), 0, call.attempt(), call.earlierUnknown(), 0, lease);
    RunEnd<R> end = perform(call, lease, attempt);
    parts.afterwork().add(token, end.command(), () -> {});
    return settling.unrecorded(call, end, Instant.now());
  }

  private <R> RunEnd<R> done(GuardedCall<R> call, Lease lease, @Nullable R value) {
    byte[] bytes = encoded(call, value);
    EffectPolicy policy = call.policy();
    Settlement settlement =
        bytes == null
            ? Settlement.doneWithoutReceipt(call.fingerprint(), policy.retention())
            : Settlement.done(bytes, call.fingerprint(), policy.retention());
    return new RunEnd<>(
        RunEnd.Kind.DONE,
        new StoreCommand.Settle(lease.id(), lease.token(), settlement),
        Receipt.performed(value, bytes),
        null);
  }

  /**
   * The effect has happened: whatever is wrong with its receipt, it must not look as if it had not.
   */
  private <R> byte @Nullable [] encoded(GuardedCall<R> call, @Nullable R value) {
    String why;
    try {
      byte[] bytes = parts.codec().encode(value);
      if (bytes.length <= call.policy().receiptCap()) {
        return bytes;
      }
      why =
          "it has "
              + bytes.length
              + " bytes, and the policy's cap is "
              + call.policy().receiptCap();
    } catch (Throwable e) {
      // Errors too, such as a class that cannot be loaded: whatever it is, the effect is done.
      why = "it cannot be encoded (" + e.getClass().getSimpleName() + ")";
    }
    parts.count(call.effect(), EffectMetrics.Event.RECEIPT_NOT_KEPT);
    LOG.warn(
        "Effect {} ({}) is done, its receipt is not kept: {}",
        parts.shown(call.key()),
        call.effect(),
        why);
    return null;
  }

  private static <R> RunEnd<R> unknown(Lease lease, Throwable cause) {
    return new RunEnd<>(
        RunEnd.Kind.UNKNOWN, new StoreCommand.MarkInDoubt(lease.id(), lease.token()), null, cause);
  }

  private static <R> RunEnd<R> notPerformed(
      EffectRunner.Claimed claimed, EffectNotPerformedException cause) {
    Lease lease = claimed.lease();
    return new RunEnd<>(
        RunEnd.Kind.NOT_PERFORMED,
        new StoreCommand.Release(lease.id(), lease.token()),
        null,
        cause);
  }

  /** The cause of an in-doubt outcome when the provider could not say either. */
  static final class UnresolvedException extends Exception {
    private static final long serialVersionUID = 1L;

    UnresolvedException(String reason) {
      super("the provider could not say whether it happened: " + reason);
    }
  }
}
