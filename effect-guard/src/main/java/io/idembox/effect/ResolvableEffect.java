package io.idembox.effect;

/**
 * An effect whose provider can be asked whether it happened. Needed by {@link OnUnknown#RESOLVE}.
 */
public interface ResolvableEffect<Q, R> extends Effect<Q, R> {
  /**
   * Asks the provider whether an earlier attempt of this effect happened. Called only while the key
   * is held, so nothing runs beside it; {@code attempt} has the same provider key as that earlier
   * attempt.
   *
   * @throws Exception if it cannot be found out now: as {@link Resolution#stillUnknown(String)}
   */
  Resolution<R> resolve(Q request, EffectAttempt attempt) throws Exception;
}
