package io.idembox.inbox;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectCode;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectInDoubtException;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnUnknown;
import io.idembox.effect.RebuildableEffect;
import io.idembox.inbox.OnceMemory.Completed;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code once} inside of a handler: to the guard, which knows what is done. */
final class OnceCalls {
  private final EffectCatalog catalog;
  private final @Nullable EffectGuard guard;
  private final InheritedEffects inherited;
  private final @Nullable FinishedEffects finished;

  private OnceCalls(
      EffectCatalog catalog,
      @Nullable EffectGuard guard,
      InheritedEffects inherited,
      @Nullable FinishedEffects finished) {
    this.catalog = catalog;
    this.guard = guard;
    this.inherited = inherited;
    this.finished = finished;
  }

  static OnceCalls toGuard(
      EffectCatalog catalog, @Nullable EffectGuard guard, InheritedEffects inherited) {
    return new OnceCalls(catalog, guard, inherited, null);
  }

  /** For the retry of a dead letter: what its earlier attempts completed stands in the journal. */
  OnceCalls afterJournal(FinishedEffects finishedEffects) {
    return new OnceCalls(catalog, guard, inherited, finishedEffects);
  }

  <Q, R> @Nullable R once(
      TransactionScope scope, int message, EffectName<Q, R> name, EffectKey key, Q request) {
    if (!catalog.contains(name)) {
      throw new IllegalArgumentException(
          "Effect "
              + name.name()
              + " is not among those that this consumer was given, "
              + catalog.names()
              + ": register it");
    }
    // The catalog compared the types when it said that it holds this name.
    @SuppressWarnings("unchecked")
    Effect<Q, R> effect = (Effect<Q, R>) catalog.find(name.name()).orElseThrow();
    if (scope.inherits(message)) {
      Optional<FinishedEffects.Answer<R>> kept =
          inherited.receipt(scope.raw, key, name.receiptType());
      if (kept.isPresent()) {
        return kept.get().receipt();
      }
      if (effect instanceof RebuildableEffect<Q, R> rebuildable) {
        return rebuildable.receiptOnRebuild(key, request);
      }
      throw inherited.notKept(key);
    }
    return once(
        scope,
        new Completed(message, name.name(), key, effect.policy(), null),
        name.receiptType(),
        () -> guard().once(effect, key, request));
  }

  <R> @Nullable R once(
      TransactionScope scope,
      int message,
      EffectPolicy policy,
      EffectKey key,
      Class<R> receiptType,
      EffectCode<R> code) {
    if (scope.inherits(message)) {
      return inherited
          .receipt(scope.raw, key, receiptType)
          .orElseThrow(() -> inherited.notKept(key))
          .receipt();
    }
    return once(
        scope,
        new Completed(message, key.operation(), key, policy, null),
        receiptType,
        () -> guard().once(policy, key, receiptType, code));
  }

  private <R> @Nullable R once(
      TransactionScope scope, Completed effect, Class<R> receiptType, Supplier<@Nullable R> run) {
    if (finished != null) {
      Optional<FinishedEffects.Answer<R>> known =
          finished.find(scope.raw, effect.key(), receiptType);
      if (known.isPresent()) {
        return known.get().receipt();
      }
    }
    R receipt = perform(effect, run);
    scope.completed(effect.with(receipt));
    return receipt;
  }

  private static <R> @Nullable R perform(Completed effect, Supplier<@Nullable R> run) {
    try {
      return run.get();
    } catch (EffectInDoubtException e) {
      // The policy is known here only; whoever judges the record's failure needs it.
      throw effect.policy().onUnknown() == OnUnknown.HOLD
          ? new EffectHeldException(effect.key(), e)
          : e;
    }
  }

  private EffectGuard guard() {
    if (guard == null) {
      throw new IllegalStateException(
          "TransactionEffects.once needs a guard: give one to JdbcInbox.open, or use afterCommit");
    }
    return guard;
  }
}
