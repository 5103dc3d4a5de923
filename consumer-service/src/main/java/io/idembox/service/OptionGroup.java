package io.idembox.service;

import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keys that are handed on under names that are not ours.
 *
 * @param key what they stand under, with {@code []} for lists
 * @param names those that are known; empty where any name will do
 * @param refused names that would break a promise or have an option of their own, with the reason
 * @param checker the rule that a value breaks, or null
 * @param secrets names whose values are never shown, besides those that sound like a secret
 */
record OptionGroup(
    String key,
    Set<String> names,
    Map<String, String> refused,
    BiFunction<String, String, @Nullable String> checker,
    Set<String> secrets,
    String meaning) {

  /** Any names, any values. */
  static OptionGroup open(String key, String meaning) {
    return new OptionGroup(key, Set.of(), Map.of(), (name, value) -> null, Set.of(), meaning);
  }

  boolean hides(String name) {
    return secrets.contains(name) || Secrets.soundsLike(name);
  }
}
