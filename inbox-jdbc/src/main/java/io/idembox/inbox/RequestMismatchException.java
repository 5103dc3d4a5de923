package io.idembox.inbox;

import io.idembox.effect.EffectKey;

/**
 * An effect was asked for with another request than the one that stands in the journal under its
 * key, and its policy rejects that. Nothing was committed.
 */
public final class RequestMismatchException extends InboxException {
  private static final long serialVersionUID = 1L;

  private final transient EffectKey key;
  private final int message;

  RequestMismatchException(EffectKey key, int message) {
    super(
        "Effect "
            + key
            + " was asked for with another request before: put what differs into the key if it is another"
            + " effect, or set fingerprint IGNORE",
        null);
    this.key = key;
    this.message = message;
  }

  /** The effect's key. */
  public EffectKey key() {
    return key;
  }

  /** Index into the claims of the message that asked. */
  public int message() {
    return message;
  }
}
