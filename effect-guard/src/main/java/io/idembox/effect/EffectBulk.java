package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Many calls of one effect: one look-up, unless the last ones found nothing, then claims, runs and
 * completions that overlap, each claim for a run at once.
 */
final class EffectBulk {
  private static final Logger SKIPS = LoggerFactory.getLogger("io.idembox.effect.skips");

  private final GuardParts parts;
  private final EffectRunner runner;
  private final Outcomes outcomes;
  private final BooleanSupplier closed;
  private final ConcurrentMap<String, BulkHistory> histories = new ConcurrentHashMap<>();

  EffectBulk(GuardParts parts, EffectRunner runner, Outcomes outcomes, BooleanSupplier closed) {
    this.parts = parts;
    this.runner = runner;
    this.outcomes = outcomes;
    this.closed = closed;
  }

  /** One call and, in the end, its outcome. */
  static final class Slot<R> {
    private final @Nullable GuardedCall<R> call;
    private volatile @Nullable EffectOutcome<R> outcome;

    private Slot(@Nullable GuardedCall<R> call, @Nullable EffectOutcome<R> outcome) {
      this.call = call;
      this.outcome = outcome;
    }

    static <R> Slot<R> of(GuardedCall<R> call) {
      return new Slot<>(call, null);
    }

    static <R> Slot<R> ended(EffectOutcome<R> outcome) {
      return new Slot<>(null, outcome);
    }

    GuardedCall<R> call() {
      return requireNonNull(call);
    }

    EffectOutcome<R> outcome() {
      return requireNonNull(outcome);
    }

    void outcome(EffectOutcome<R> outcome) {
      this.outcome = outcome;
    }
  }

  <R> List<EffectOutcome<R>> run(String effect, List<Slot<R>> slots) {
    List<Slot<R>> open = new ArrayList<>(slots.size());
    for (Slot<R> slot : slots) {
      if (slot.outcome == null) {
        open.add(slot);
      }
    }
    // A key that comes twice in one bulk: its second call starts when the first has its outcome.
    while (!open.isEmpty()) {
      Map<EffectId, Slot<R>> first = new LinkedHashMap<>();
      List<Slot<R>> later = new ArrayList<>();
      for (Slot<R> slot : open) {
        if (first.putIfAbsent(slot.call().id(), slot) != null) {
          later.add(slot);
        }
      }
      round(effect, new ArrayList<>(first.values()));
      open = later;
    }
    List<EffectOutcome<R>> result = new ArrayList<>(slots.size());
    int replayed = 0;
    for (Slot<R> slot : slots) {
      EffectOutcome<R> outcome = slot.outcome();
      result.add(outcome);
      replayed += outcome.kind() == EffectOutcome.Kind.REPLAYED ? 1 : 0;
    }
    if (replayed > 0) {
      SKIPS.info(
          "Of {} calls of effect {}, {} were done before: their receipts are replayed",
          slots.size(),
          effect,
          replayed);
    }
    return result;
  }

  private <R> void round(String effect, List<Slot<R>> slots) {
    BulkHistory history = histories.computeIfAbsent(effect, name -> new BulkHistory());
    List<Slot<R>> missing = slots;
    if (!history.expectsNew()) {
      missing = lookUp(slots);
      history.lookedUp(missing.size() < slots.size());
    }
    if (!missing.isEmpty()) {
      new BulkRound<>(parts, runner, outcomes, closed, history, missing).run();
    }
  }

  /** Answers what is settled, and gives back the rest. */
  private <R> List<Slot<R>> lookUp(List<Slot<R>> slots) {
    List<EffectId> ids = new ArrayList<>(slots.size());
    for (Slot<R> slot : slots) {
      ids.add(slot.call().id());
    }
    List<Optional<EffectRecord>> found;
    try {
      found = parts.calls().awaitUninterruptibly(parts.calls().store().lookUp(ids));
    } catch (EffectStoreException e) {
      List<Slot<R>> toOpen = new ArrayList<>();
      for (Slot<R> slot : slots) {
        if (runner.opens(slot.call(), e)) {
          toOpen.add(slot);
        } else {
          slot.outcome = unavailable(parts, slot.call(), e);
        }
      }
      return toOpen;
    }
    List<Slot<R>> missing = new ArrayList<>();
    for (int i = 0; i < slots.size(); i++) {
      Slot<R> slot = slots.get(i);
      EffectRecord record = found.get(i).orElse(null);
      if (record != null && record.settled()) {
        slot.outcome = outcomes.settled(slot.call(), record);
      } else {
        missing.add(slot);
      }
    }
    return missing;
  }

  static <R> EffectOutcome<R> unavailable(
      GuardParts parts, GuardedCall<R> call, EffectStoreException cause) {
    parts.count(call.effect(), EffectMetrics.Event.UNAVAILABLE);
    return new EffectOutcome.Unavailable<>(call.key(), cause);
  }
}
