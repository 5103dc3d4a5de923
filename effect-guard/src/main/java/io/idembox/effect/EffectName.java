package io.idembox.effect;

import static java.util.Objects.requireNonNull;

/**
 * Names an effect and its types: a constant in user code, by which a request finds the code that
 * performs it.
 *
 * @param name unique among the effects of a process, such as {@code "invoice-mail"}; stands in
 *     metrics and in the journal
 * @param requestType what the code is given
 * @param receiptType what the code returns, and later callers get; {@code Void.class} if nothing
 */
public record EffectName<Q, R>(String name, Class<Q> requestType, Class<R> receiptType) {
  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if the name is blank
   */
  public EffectName {
    requireNonNull(requestType, "requestType");
    requireNonNull(receiptType, "receiptType");
    if (name.isBlank()) {
      throw new IllegalArgumentException("EffectName is blank: give each effect a name of its own");
    }
  }

  public static <Q, R> EffectName<Q, R> of(
      String name, Class<Q> requestType, Class<R> receiptType) {
    return new EffectName<>(name, requestType, receiptType);
  }

  @Override
  public String toString() {
    return name;
  }
}
