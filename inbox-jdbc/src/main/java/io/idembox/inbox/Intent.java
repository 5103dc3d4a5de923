package io.idembox.inbox;

import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectKeyHash;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.OnUnknown;
import org.jspecify.annotations.Nullable;

/**
 * An effect asked for in a transaction, before it stands in the journal.
 *
 * @param message index of the claim that asked
 * @param fingerprint of the request; null when the policy compares none
 */
@SuppressWarnings("ArrayRecordComponent") // Lives for one transaction, compared by nobody.
record Intent(
    int message,
    String effect,
    EffectKey key,
    EffectKeyHash hash,
    byte[] request,
    byte @Nullable [] fingerprint,
    EffectPolicy policy) {

  /**
   * Whether it counts as started from its insert on. A crash before the run then leaves "maybe",
   * which RETRY takes in its stride; HOLD would hold, and RESOLVE ask, for nothing. One that runs
   * in turn waits for those before it.
   */
  boolean startedAtOnce(InboxClaim asker) {
    return asker.queue() == null && startedAtOnce(policy);
  }

  static boolean startedAtOnce(EffectPolicy policy) {
    return policy.onUnknown() == OnUnknown.RETRY;
  }
}
