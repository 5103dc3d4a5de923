package io.idembox.effect;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one call asks for, checked and with its fingerprint made.
 *
 * @param patience how long to wait for another holder
 */
record GuardedCall<R>(
    String effect,
    EffectPolicy policy,
    EffectKey key,
    EffectId id,
    Class<R> receiptType,
    EffectCode<R> code,
    @Nullable Resolver<R> resolver,
    int fingerprint,
    int attempt,
    boolean earlierUnknown,
    Duration patience) {

  /** Asks whether it happened. */
  @FunctionalInterface
  interface Resolver<R> {
    Resolution<R> resolve(EffectAttempt attempt) throws Exception;
  }

  boolean takesOver() {
    return policy.onUnknown() != OnUnknown.HOLD;
  }

  StoreCommand.Claim claim(EffectToken token, String owner) {
    return new StoreCommand.Claim(
        id, token, key, policy.lease(), takesOver(), earlierUnknown, attempt, fingerprint, owner);
  }
}
