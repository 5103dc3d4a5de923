package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * Code with an effect outside: a mail, a payment, a call. The guard runs it once per {@link
 * EffectKey}.
 *
 * <p>Implementations are called by many threads at once, for different keys; for one key by one
 * thread at a time, as far as leases hold.
 *
 * @param <Q> the request
 * @param <R> the receipt
 */
public interface Effect<Q, R> {
  EffectName<Q, R> name();

  /** Asked for at each call; returns the same policy each time. */
  default EffectPolicy policy() {
    return EffectPolicy.defaults();
  }

  /**
   * Does it. Hand {@link EffectAttempt#providerKey()} on to the provider wherever it takes an
   * idempotency key.
   *
   * @return the receipt, kept for later callers; small, and free of secrets. Null is a receipt too
   * @throws EffectNotPerformedException if it surely did not happen: the key is free again
   * @throws EffectRejectedException if it did not happen and never will: remembered, and told to
   *     later callers
   * @throws Exception anything else, an interrupt too, and what a guard's call for another effect
   *     has thrown: the outcome is unknown and {@link EffectPolicy#onUnknown()} decides
   */
  @Nullable R perform(Q request, EffectAttempt attempt) throws Exception;
}
