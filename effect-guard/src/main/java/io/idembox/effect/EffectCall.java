package io.idembox.effect;

import static java.util.Objects.requireNonNull;

/**
 * One call of a bulk, as a journal knows it.
 *
 * @param attempt the number that the run to come would have, the first run counted as 1
 * @param earlierAttemptUnknown somebody may have run it already: an absent record then counts as in
 *     doubt, not as new
 */
public record EffectCall<Q>(EffectKey key, Q request, int attempt, boolean earlierAttemptUnknown) {
  /**
   * Checks the attempt.
   *
   * @throws IllegalArgumentException if the attempt is below 1
   */
  public EffectCall {
    requireNonNull(key, "key");
    if (attempt < 1) {
      throw new IllegalArgumentException(
          "EffectCall has attempt " + attempt + ": attempts count from 1");
    }
  }

  /** A call for an effect of which nobody knows an earlier attempt. */
  public static <Q> EffectCall<Q> first(EffectKey key, Q request) {
    return new EffectCall<>(key, request, 1, false);
  }
}
