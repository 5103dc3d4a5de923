package io.idembox.effect;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of a bulk, of distinct keys, that a look-up has not settled. The caller's thread claims
 * as many as may run at once, workers run them, and whoever ends a run sends all ends that wait, so
 * that a store sees few, large batches. Effects that were quick of late, and are simply run again
 * after a crash, are claimed by the hundred: they run at once even one after the other.
 */
final class BulkRound<R> {
  private static final Logger LOG = LoggerFactory.getLogger(BulkRound.class);
  private static final long STALL_NANOS = Duration.ofMillis(1).toNanos();
  private static final long GATHER_NANOS = 50_000;
  private static final int GATHERINGS = 3;
  private static final int QUICK_WINDOW = 256;
  private static final long NOTE_NANOS = Duration.ofMillis(1).toNanos();

  private final GuardParts parts;
  private final EffectRunner runner;
  private final Outcomes outcomes;
  private final BooleanSupplier closed;
  private final List<EffectBulk.Slot<R>> slots;
  private final BulkHistory history;
  private final boolean quick;
  private final CountDownLatch open;
  private final Queue<Work<R>> claimed = new ConcurrentLinkedQueue<>();
  private final BulkEnds<R> ends;
  private final AtomicInteger workers = new AtomicInteger();
  private int wanted = 1;
  private boolean permitInHand;

  /**
   * A call for a worker; without a claim, the worker makes its own and waits as the policy says.
   */
  private record Work<R>(
      EffectBulk.Slot<R> slot,
      EffectRunner.@Nullable Claimed claimed,
      @Nullable EffectToken unanswered) {}

  BulkRound(
      GuardParts parts,
      EffectRunner runner,
      Outcomes outcomes,
      BooleanSupplier closed,
      BulkHistory history,
      List<EffectBulk.Slot<R>> slots) {
    this.parts = parts;
    this.runner = runner;
    this.outcomes = outcomes;
    this.closed = closed;
    this.slots = slots;
    this.history = history;
    this.quick = history.isQuick() && slots.get(0).call().policy().onUnknown() == OnUnknown.RETRY;
    this.open = new CountDownLatch(slots.size());
    this.ends = new BulkEnds<>(parts, runner.settling(), this::finish);
  }

  /**
   * Returns when each call has its outcome. An interrupt starts nothing more, and waits for what
   * runs.
   */
  void run() {
    boolean interrupted = false;
    for (int next = 0; next < slots.size(); ) {
      int window = 0;
      try {
        window = permits(slots.size() - next);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      if (interrupted || closed.getAsBoolean()) {
        giveBack(window);
        giveBackInHand();
        EffectStoreException why =
            interrupted ? interruption() : EffectGuard.closedException(parts.namespace());
        slots.subList(next, slots.size()).forEach(slot -> unavailable(slot, why));
        break;
      }
      claim(slots.subList(next, next + window));
      startWorkers();
      next += window;
    }
    interrupted |= awaitAll();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for one permit, and takes as many more as there are, or are about to be. */
  private int permits(int most) throws InterruptedException {
    while (!parts.permits().tryAcquire(STALL_NANOS, TimeUnit.NANOSECONDS)) {
      relieve();
    }
    if (quick) {
      permitInHand = true;
      return Math.min(most, QUICK_WINDOW);
    }
    int taken = 1 + more(most - 1);
    // Quick effects give their permits back one by one: a moment's patience makes one large batch
    // of many small ones.
    for (int i = 0; i < GATHERINGS && taken < most && !claimed.isEmpty(); i++) {
      LockSupport.parkNanos(this, GATHER_NANOS);
      taken += more(most - taken);
    }
    return taken;
  }

  private int more(int most) {
    int taken = 0;
    while (taken < most && parts.permits().tryAcquire()) {
      taken++;
    }
    return taken;
  }

  /**
   * An effect that takes its time holds a permit from before its claim until it has run. Of quick
   * ones, a worker that runs them holds one.
   */
  private void giveBack(int effects) {
    if (!quick) {
      parts.permits().release(effects);
    }
  }

  private void giveBackInHand() {
    if (permitInHand) {
      permitInHand = false;
      parts.permits().release();
    }
  }

  private boolean permitForWorker() {
    if (quick && !permitInHand) {
      return parts.permits().tryAcquire();
    }
    permitInHand = false;
    return true;
  }

  private boolean awaitAll() {
    boolean interrupted = false;
    while (true) {
      try {
        if (open.await(STALL_NANOS, TimeUnit.NANOSECONDS)) {
          return interrupted;
        }
        relieve();
        if (claimed.isEmpty() && ends.isEmpty()) {
          open.await();
          return interrupted;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  /**
   * Sends what a busy worker has not sent. If a claim is waiting for a worker though it should run
   * at once, the effects take their time, and there are to be more workers. Effects that take none
   * are run by one worker: waking another costs more than they do.
   */
  private void relieve() {
    ends.send();
    if (!claimed.isEmpty()) {
      wanted = Math.min(wanted * 2, slots.size());
      startWorkers();
    }
  }

  private void claim(List<EffectBulk.Slot<R>> wanting) {
    List<EffectBulk.Slot<R>> window = new ArrayList<>(wanting.size());
    for (EffectBulk.Slot<R> slot : wanting) {
      Lease own = parts.leases().of(slot.call().id());
      if (own == null) {
        window.add(slot);
      } else if (!slot.call().patience().isZero()) {
        claimed.add(new Work<>(slot, null, null));
      } else {
        giveBack(1);
        finish(slot, outcomes.runsHere(slot.call(), own));
      }
    }
    List<StoreCommand.Claim> claims = new ArrayList<>(window.size());
    List<Lease> leases = new ArrayList<>(window.size());
    long askedAt = parts.nanos().getAsLong();
    for (EffectBulk.Slot<R> slot : window) {
      GuardedCall<R> call = slot.call();
      EffectToken token = EffectToken.fresh();
      claims.add(call.claim(token, parts.owner()));
      leases.add(new Lease(call.id(), token, call.policy().lease(), parts.nanos(), askedAt));
    }
    List<CompletionStage<StoreReply>> replies = parts.calls().applyAll(claims);
    awaitLast(replies);
    for (int i = 0; i < window.size(); i++) {
      EffectBulk.Slot<R> slot = window.get(i);
      try {
        StoreReply reply = parts.calls().awaitUninterruptibly(replies.get(i));
        parts.time(slot.call().effect(), EffectMetrics.Timing.CLAIM, askedAt);
        answered(slot, new EffectRunner.Claimed(leases.get(i), reply));
      } catch (EffectStoreException e) {
        refused(slot, leases.get(i), e);
      }
    }
  }

  /** Answers come in order, more or less: this thread is to wake once, not for each of them. */
  private void awaitLast(List<CompletionStage<StoreReply>> replies) {
    if (!replies.isEmpty()) {
      // A failure is looked at with the others, and counted then.
      parts
          .calls()
          .awaitUninterruptibly(
              replies.get(replies.size() - 1).handle((reply, failure) -> failure == null));
    }
  }

  private void answered(EffectBulk.Slot<R> slot, EffectRunner.Claimed answer) {
    if (answer.reply().code() == StoreReply.Code.OK) {
      claimed.add(new Work<>(slot, answer, null));
    } else if (answer.reply().code() == StoreReply.Code.HELD && !slot.call().patience().isZero()) {
      claimed.add(new Work<>(slot, null, null));
    } else {
      giveBack(1);
      EffectRecord record = answer.reply().record();
      if (answer.reply().code() == StoreReply.Code.SETTLED && record != null) {
        history.claimedInVain();
        finish(slot, outcomes.settled(slot.call(), record));
        return;
      }
      finish(slot, outcomes.standing(slot.call(), answer.reply()));
    }
  }

  private void refused(EffectBulk.Slot<R> slot, Lease lease, EffectStoreException e) {
    history.claimedInVain();
    if (e.maybeApplied()) {
      claimed.add(new Work<>(slot, null, lease.token()));
    } else if (runner.opens(slot.call(), e)) {
      claimed.add(new Work<>(slot, null, null));
    } else {
      giveBack(1);
      unavailable(slot, e);
    }
  }

  private void startWorkers() {
    // Busy workers are no reason to let a claim wait: one that waits is to run at once.
    int missing = Math.min(wanted - workers.get(), claimed.size());
    for (int i = 0; i < missing && permitForWorker(); i++) {
      workers.incrementAndGet();
      try {
        parts.executor().execute(this::worker);
      } catch (RejectedExecutionException e) {
        workers.decrementAndGet();
        if (quick) {
          parts.permits().release();
        }
        refuseClaimed();
        return;
      }
    }
    giveBackInHand();
  }

  /** The executor takes no more work: what no worker has taken does not start. */
  private void refuseClaimed() {
    for (Work<R> work = claimed.poll(); work != null; work = claimed.poll()) {
      giveBack(1);
      EffectRunner.Claimed answer = work.claimed();
      EffectToken unanswered = work.unanswered();
      if (answer != null) {
        runner.settling().releaseLater(answer.lease().id(), answer.lease().token());
      } else if (unanswered != null) {
        runner.settling().releaseLater(work.slot().call().id(), unanswered);
      }
      unavailable(work.slot(), EffectGuard.closedException(parts.namespace()));
    }
  }

  private void worker() {
    do {
      runClaimed();
      workers.decrementAndGet();
      // One more look: a claim may have come between the last poll and the count, which kept a new
      // worker from starting.
    } while (!claimed.isEmpty() && workers.incrementAndGet() > 0);
    if (quick) {
      parts.permits().release();
    }
  }

  private void runClaimed() {
    long since = System.nanoTime();
    int ran = 0;
    for (Work<R> work = claimed.poll(); work != null; work = claimed.poll()) {
      EffectBulk.Slot<R> slot = work.slot();
      EffectOutcome<R> outcome;
      try {
        outcome = outcome(work);
      } catch (EffectStoreException e) {
        outcome = new EffectOutcome.Unavailable<>(slot.call().key(), e);
      } catch (EffectInterruptedException e) {
        outcome = EffectBulk.unavailable(parts, slot.call(), interruption());
      } catch (Throwable e) {
        outcome = surprise(work, e);
      } finally {
        giveBack(1);
      }
      ran++;
      long now = System.nanoTime();
      if (now - since > NOTE_NANOS || claimed.isEmpty()) {
        history.ran(ran, now - since);
        since = now;
        ran = 0;
      }
      if (outcome != null) {
        finish(slot, outcome);
      } else if (claimed.isEmpty()) {
        // Else with the next ones, or at the next look of the caller's thread if the next effect
        // takes its time.
        ends.send();
      }
      // Effect code's own interrupt, which it threw or set, is not for the next call's code.
      Thread.interrupted();
    }
  }

  /**
   * Such as a store that throws what it must not: the caller of the bulk gets its outcome all the
   * same, and the record comes in doubt when its lease ends.
   */
  private EffectOutcome<R> surprise(Work<R> work, Throwable e) {
    GuardedCall<R> call = work.slot().call();
    LOG.error("Effect {} ({}) ended in a surprise", parts.shown(call.key()), call.effect(), e);
    EffectRunner.Claimed answer = work.claimed();
    if (answer != null) {
      parts.leases().drop(answer.lease());
    }
    parts.count(call.effect(), EffectMetrics.Event.IN_DOUBT);
    return new EffectOutcome.InDoubt<>(call.key(), Instant.now(), e);
  }

  /** Runs one call; null if its end is on the way to the store. */
  private @Nullable EffectOutcome<R> outcome(Work<R> work) {
    EffectBulk.Slot<R> slot = work.slot();
    GuardedCall<R> call = slot.call();
    EffectRunner.Claimed answer = work.claimed();
    if (answer == null) {
      EffectToken unanswered = work.unanswered();
      return unanswered == null ? runner.run(call) : runner.runUnanswered(call, unanswered);
    }
    if (!answer.lease().fresh()) {
      // The claim waited for a thread for too long; the next one is made by the thread that runs
      // it.
      runner.settling().releaseLater(answer.lease().id(), answer.lease().token());
      return runner.run(call);
    }
    if (call.policy().timeout().isPresent()) {
      return runner.runOn(call, runner.codeRun().run(call, answer));
    }
    runner.codeRun().hold(call, answer);
    RunEnd<R> end = runner.codeRun().perform(call, answer);
    if (end.kind() == RunEnd.Kind.DONE) {
      ends.add(slot, answer, end);
      return null;
    }
    return runner.runOn(call, runner.settling().settle(call, answer, end));
  }

  private void finish(EffectBulk.Slot<R> slot, EffectOutcome<R> outcome) {
    slot.outcome(outcome);
    open.countDown();
  }

  private void unavailable(EffectBulk.Slot<R> slot, EffectStoreException why) {
    finish(slot, EffectBulk.unavailable(parts, slot.call(), why));
  }

  private static EffectStoreException interruption() {
    return new EffectStoreException(
        EffectStoreException.Kind.CLOSED,
        "The caller of the bulk was interrupted: nothing was run",
        null);
  }
}
