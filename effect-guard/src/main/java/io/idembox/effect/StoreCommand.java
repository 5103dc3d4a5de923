package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * A change of one effect's record, applied as one atomic step; {@link EffectTransitions} says what
 * each does. A fingerprint of 0 means none.
 */
public sealed interface StoreCommand {
  EffectId id();

  /**
   * Takes the key for one run. Repeated with the same token, it answers as the first time.
   *
   * @param key stored with the record while it is unsettled, so that a person can be shown what is
   *     in doubt
   * @param lease how long the claim holds if it is not renewed
   * @param takeOver whether a record in doubt, or whose lease has ended, is taken over (RETRY,
   *     RESOLVE) or left in doubt (HOLD)
   * @param earlierUnknown whether an absent record counts as in doubt
   * @param attempt the run's number if the record knows of none
   * @param owner label of the caller, shown to others; at most 255 bytes are kept
   */
  record Claim(
      EffectId id,
      EffectToken token,
      EffectKey key,
      Duration lease,
      boolean takeOver,
      boolean earlierUnknown,
      int attempt,
      int fingerprint,
      String owner)
      implements StoreCommand {
    public Claim {
      requireNonNull(id, "id");
      requireNonNull(token, "token");
    }
  }

  /**
   * Ends a run: done or rejected. Accepted as long as the record carries the token or is absent.
   */
  record Settle(EffectId id, EffectToken token, Settlement settlement) implements StoreCommand {}

  /** Ends a run that surely did nothing: puts back what was there before the claim. */
  record Release(EffectId id, EffectToken token) implements StoreCommand {}

  /** Ends a run of unknown outcome. */
  record MarkInDoubt(EffectId id, EffectToken token) implements StoreCommand {}

  /** Starts the lease anew. */
  record Renew(EffectId id, EffectToken token, Duration lease) implements StoreCommand {}

  /**
   * Brings a claim whose lease has ended in doubt, and into the index, though nobody asks for its
   * key.
   */
  record EndLease(EffectId id) implements StoreCommand {}

  /** A person's word that it happened, or was refused for good. Not while a lease holds. */
  record Resolve(EffectId id, Settlement settlement) implements StoreCommand {}

  /**
   * A person's word that it did not happen: the key is free. Not while a lease holds, and not once
   * done.
   */
  record ResolveNotDone(EffectId id) implements StoreCommand {}

  /**
   * A person's wish that it may run again under a new provider key, whatever became of it. Not
   * while a lease holds.
   */
  record Forget(EffectId id) implements StoreCommand {}
}
