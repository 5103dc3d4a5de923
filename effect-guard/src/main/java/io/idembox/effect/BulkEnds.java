package io.idembox.effect;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The ends of a bulk's runs on their way to the store, together where they wait. Thread-safe. */
final class BulkEnds<R> {
  private final GuardParts parts;
  private final Settling settling;
  private final BiConsumer<EffectBulk.Slot<R>, EffectOutcome<R>> finish;
  private final Queue<Ended<R>> ended = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean sending = new AtomicBoolean();

  private record Ended<R>(EffectBulk.Slot<R> slot, EffectRunner.Claimed claimed, RunEnd<R> end) {}

  /**
   * For one bulk.
   *
   * @param finish is told the outcomes, by the store's thread or the executor's
   */
  BulkEnds(
      GuardParts parts,
      Settling settling,
      BiConsumer<EffectBulk.Slot<R>, EffectOutcome<R>> finish) {
    this.parts = parts;
    this.settling = settling;
    this.finish = finish;
  }

  void add(EffectBulk.Slot<R> slot, EffectRunner.Claimed claimed, RunEnd<R> end) {
    ended.add(new Ended<>(slot, claimed, end));
  }

  /** Whether none waits to be sent. */
  boolean isEmpty() {
    return ended.isEmpty();
  }

  /**
   * Sends the ends that wait, unless another thread is doing so; that one looks again afterwards.
   */
  void send() {
    while (!ended.isEmpty() && sending.compareAndSet(false, true)) {
      try {
        List<Ended<R>> batch = new ArrayList<>();
        List<StoreCommand> commands = new ArrayList<>();
        for (Ended<R> next = ended.poll(); next != null; next = ended.poll()) {
          batch.add(next);
          commands.add(next.end().command());
        }
        long askedAt = parts.nanos().getAsLong();
        List<CompletionStage<StoreReply>> replies = parts.calls().applyAll(commands);
        for (int i = 0; i < batch.size(); i++) {
          Ended<R> item = batch.get(i);
          var unused =
              replies.get(i).whenComplete((reply, failure) -> sent(item, askedAt, reply, failure));
        }
      } finally {
        sending.set(false);
      }
    }
  }

  private void sent(
      Ended<R> item, long askedAt, @Nullable StoreReply reply, @Nullable Throwable failure) {
    GuardedCall<R> call = item.slot().call();
    if (reply != null) {
      parts.time(call.effect(), EffectMetrics.Timing.COMPLETE, askedAt);
      finish.accept(item.slot(), settling.stored(call, item.claimed(), item.end(), reply));
      return;
    }
    EffectStoreException e = StoreCalls.unwrap(failure);
    parts.metrics().storeFailed(e.kind());
    try {
      // Not here: this is the store's own thread, and settling waits for the store.
      parts
          .executor()
          .execute(
              () -> finish.accept(item.slot(), settling.settle(call, item.claimed(), item.end())));
    } catch (RejectedExecutionException closing) {
      finish.accept(item.slot(), settling.leave(call, item.claimed(), item.end(), e));
    }
  }
}
