package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectKey;
import org.jspecify.annotations.Nullable;

/**
 * A record that is given up.
 *
 * @param claim its identity (from the coordinates when it has no usable one) and origin
 * @param attempts how often it was handled, the first run included; 0 when it could not be read at
 *     all
 * @param heldBy an effect that waits for a person, and that keeps the record from being handled;
 *     else null
 */
public record DeadLetterDraft(
    InboxClaim claim,
    DeadLetterContent content,
    DeadLetterError error,
    int attempts,
    @Nullable EffectKey heldBy) {
  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if the attempts are negative
   */
  public DeadLetterDraft {
    requireNonNull(claim, "claim");
    requireNonNull(content, "content");
    requireNonNull(error, "error");
    if (attempts < 0) {
      throw new IllegalArgumentException("A dead letter after " + attempts + " attempts cannot be");
    }
  }
}
