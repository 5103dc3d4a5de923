package io.idembox.inbox;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectCode;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import org.jspecify.annotations.Nullable;

/** {@code once} inside of a handler: straight to the guard, which knows what is done. */
final class OnceCalls {
  private final EffectCatalog catalog;
  private final @Nullable EffectGuard guard;

  OnceCalls(EffectCatalog catalog, @Nullable EffectGuard guard) {
    this.catalog = catalog;
    this.guard = guard;
  }

  <Q, R> @Nullable R once(int message, EffectName<Q, R> name, EffectKey key, Q request) {
    if (!catalog.contains(name)) {
      throw new IllegalArgumentException(
          "Effect "
              + name.name()
              + " is not among those that this consumer was given, "
              + catalog.names());
    }
    // The catalog compared the types when it said that it holds this name.
    @SuppressWarnings("unchecked")
    Effect<Q, R> effect = (Effect<Q, R>) catalog.find(name.name()).orElseThrow();
    return guard().once(effect, key, request);
  }

  <R> @Nullable R once(
      int message, EffectPolicy policy, EffectKey key, Class<R> receiptType, EffectCode<R> code) {
    return guard().once(policy, key, receiptType, code);
  }

  private EffectGuard guard() {
    if (guard == null) {
      throw new IllegalStateException(
          "TransactionEffects.once needs a guard: give one to JdbcInbox.open, or use afterCommit");
    }
    return guard;
  }
}
