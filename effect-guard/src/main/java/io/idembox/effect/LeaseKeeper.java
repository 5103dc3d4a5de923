package io.idembox.effect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of all runs of one guard, from a run's claim until its end is stored. A failed
 * renewal is tried again at the next turn: the lease ends only by the clock or by the store's word.
 */
final class LeaseKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

  private final EffectStore store;
  private final EffectMetrics metrics;
  private final LongSupplier nanos;
  private final Executor executor;
  private final Map<EffectToken, Run> held = new ConcurrentHashMap<>();
  private final Map<EffectId, Lease> byId = new ConcurrentHashMap<>();

  private static final class Run {
    final Lease lease;
    final String effect;
    final Supplier<String> shown;
    volatile boolean asking;
    volatile boolean reported;

    Run(Lease lease, String effect, Supplier<String> shown) {
      this.lease = lease;
      this.effect = effect;
      this.shown = shown;
    }
  }

  LeaseKeeper(EffectStore store, EffectMetrics metrics, LongSupplier nanos, Executor executor) {
    this.executor = executor;
    this.store = store;
    this.metrics = metrics;
    this.nanos = nanos;
  }

  void hold(Lease lease, String effect, Supplier<String> shown) {
    held.put(lease.token(), new Run(lease, effect, shown));
    byId.put(lease.id(), lease);
  }

  void drop(Lease lease) {
    held.remove(lease.token());
    byId.remove(lease.id(), lease);
  }

  /**
   * The lease of this guard's own run of an effect, from its start until its end is stored; null if
   * it runs none. While there is one, nobody in this process asks the store for the key: where the
   * store was away for longer than the lease, or lost its data, it would give the key to a second
   * run beside the first, or after it.
   */
  @Nullable Lease of(EffectId id) {
    return byId.get(id);
  }

  boolean idle() {
    return held.isEmpty();
  }

  /** One turn of the guard's timer. */
  void turn() {
    List<Lease> due = new ArrayList<>();
    List<StoreCommand> renewals = new ArrayList<>();
    held.forEach(
        (token, run) -> {
          Lease lease = run.lease;
          if (lease.lost()) {
            report(lease, run);
          }
          if (lease.dueForRenewal() && !run.asking) {
            run.asking = true;
            due.add(lease);
            renewals.add(new StoreCommand.Renew(lease.id(), lease.token(), lease.length()));
          }
        });
    if (due.isEmpty()) {
      return;
    }
    long askedAt = nanos.getAsLong();
    List<CompletionStage<StoreReply>> replies;
    try {
      replies = store.applyAll(renewals);
    } catch (RuntimeException e) {
      // As if there were no answer: asked again at the next turn.
      due.forEach(lease -> idle(held.get(lease.token())));
      throw e;
    }
    for (int i = 0; i < due.size(); i++) {
      Lease lease = due.get(i);
      Run run = held.get(lease.token());
      if (run != null) {
        var unused =
            replies
                .get(i)
                .whenComplete((reply, failure) -> answered(lease, run, askedAt, reply, failure));
      }
    }
  }

  private static void idle(@Nullable Run run) {
    if (run != null) {
      run.asking = false;
    }
  }

  private void answered(Lease lease, Run run, long askedAt, StoreReply reply, Throwable failure) {
    if (failure != null) {
      metrics.storeFailed(StoreCalls.unwrap(failure).kind());
    } else if (reply.code() == StoreReply.Code.OK) {
      lease.renewed(askedAt);
      run.reported = false;
    } else if (held.containsKey(lease.token())) {
      // A run that has just ended is no loss: its own settlement took the token off the record.
      lease.markTakenOver();
      report(lease, run);
    }
    run.asking = false;
  }

  private void report(Lease lease, Run run) {
    if (run.reported) {
      return;
    }
    run.reported = true;
    metrics.count(run.effect, EffectMetrics.Event.LEASE_LOST);
    LOG.warn(
        "Effect {} ({}) lost its lease of {} ms while it runs: {}",
        run.shown.get(),
        run.effect,
        lease.length().toMillis(),
        lease.takenOver() ? "another holder has taken the key" : "it could not be renewed in time");
    if (lease.noticeLoss()) {
      try {
        // Not here: this is the timer's thread, or the store's.
        executor.execute(
            () ->
                lease.tellLost(
                    e -> LOG.warn("What effect {} does about a lost lease failed", run.effect, e)));
      } catch (RejectedExecutionException closing) {
        LOG.warn("Effect {} is not told that its lease is lost: the guard closes", run.effect);
      }
    }
  }
}
