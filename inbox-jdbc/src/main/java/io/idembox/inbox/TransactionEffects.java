package io.idembox.inbox;

import io.idembox.effect.EffectCode;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.effect.EffectPolicy;
import org.jspecify.annotations.Nullable;

/** Effects outside of the database, asked for by a handler. */
public interface TransactionEffects {
  /**
   * Writes an intent into the effect journal, in this transaction; the effect runs after the
   * commit. Rolled back, it never was. An effect whose key is already owed, or done, is not asked
   * for again.
   *
   * @throws IllegalArgumentException if no effect of this name is known, or the request is null or
   *     cannot be encoded
   */
  <Q> void afterCommit(EffectName<Q, ?> effect, EffectKey key, Q request);

  /**
   * Runs the effect now, before the commit, for a result that the handler needs. When the message
   * comes again, the receipt is replayed. While the effect's code runs, this transaction refuses
   * statements and a further {@code once}: they would wait for each other where no database sees
   * it.
   *
   * @return the receipt
   * @throws IllegalArgumentException if no effect of this name is known
   * @throws IllegalStateException if the inbox was opened without a guard
   * @throws EffectHeldException if its outcome is unknown, and its policy leaves that to a person
   * @throws io.idembox.effect.EffectException as the guard's own call
   */
  <Q, R> @Nullable R once(EffectName<Q, R> effect, EffectKey key, Q request);

  /** As the other, for code given on the spot. */
  <R> @Nullable R once(
      EffectPolicy policy, EffectKey key, Class<R> receiptType, EffectCode<R> code);
}
