package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/** The lambda form of an effect; the same rules as {@link Effect#perform}. */
@FunctionalInterface
public interface EffectCode<R> {
  /**
   * Does it, and returns the receipt.
   *
   * @throws Exception as {@link Effect#perform}
   */
  @Nullable R perform(EffectAttempt attempt) throws Exception;
}
