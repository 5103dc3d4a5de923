package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by effect code to say that the effect did not happen and never will: the provider refused
 * it for good. It is remembered for the effect's retention, and later callers get it with {@link
 * #replayed()} set.
 */
public final class EffectRejectedException extends EffectException {
  private static final long serialVersionUID = 1L;
  private static final String NO_REASON = "no reason given";
  private final String reason;
  private final boolean replayed;
  private final boolean ofAnother;

  /**
   * Refused for good.
   *
   * @param reason for people; kept with the key, so free of secrets. Null, as many a provider's
   *     exception has for its message, stands for no reason given
   */
  public EffectRejectedException(@Nullable String reason) {
    this(reason, null);
  }

  public EffectRejectedException(@Nullable String reason, @Nullable Throwable cause) {
    super(reason == null ? NO_REASON : reason, cause);
    this.reason = reason == null ? NO_REASON : reason;
    this.replayed = false;
    this.ofAnother = false;
  }

  EffectRejectedException(String key, String reason, boolean replayed, boolean ofAnother) {
    super("Effect %s was rejected%s: %s".formatted(key, replayed ? " earlier" : "", reason), null);
    this.reason = reason;
    this.replayed = replayed;
    this.ofAnother = ofAnother;
  }

  /** Whether it tells of another effect, and so nothing of the one whose code lets it through. */
  boolean ofAnother() {
    return ofAnother;
  }

  public String reason() {
    return reason;
  }

  /** Whether this tells of an earlier call's rejection; nothing ran in this call. */
  public boolean replayed() {
    return replayed;
  }
}
