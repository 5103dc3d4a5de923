package io.idembox.inbox;

import io.idembox.effect.EffectKey;
import org.jspecify.annotations.Nullable;

/**
 * An effect is done, but the receipt that a handler asks for cannot be given. It is not run again.
 */
public final class ReceiptUnavailableException extends InboxException {
  private static final long serialVersionUID = 1L;

  private final transient EffectKey key;

  ReceiptUnavailableException(EffectKey key, String why, @Nullable Throwable cause) {
    super("Effect " + key + " is done, but its receipt is not to be had: " + why, cause);
    this.key = key;
  }

  /** The effect's key. */
  public EffectKey key() {
    return key;
  }
}
