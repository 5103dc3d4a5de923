package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * An effect that says which receipt a handler gets when its consumer's rows are built anew, and the
 * effect happened so long ago that nobody keeps the receipt. Without it such a record fails, since
 * nothing may run again.
 */
public interface RebuildableEffect<Q, R> extends Effect<Q, R> {
  /**
   * A stand-in for the receipt of an effect that happened before, computed from what is at hand:
   * called inside of a transaction, and must do nothing outside of it.
   *
   * @param key of the effect
   * @param request as the handler asks for it now; it may differ from what was asked for then
   */
  @Nullable R receiptOnRebuild(EffectKey key, Q request);
}
