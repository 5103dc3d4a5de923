package io.idembox.service;

import io.idembox.effect.EffectKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An effect key in an answer.
 *
 * @param tenant null for none
 * @param text as logs show it
 */
record KeyView(
    String operation, int version, @Nullable String tenant, List<String> parts, String text) {
  static KeyView of(EffectKey key) {
    return new KeyView(
        key.operation(), key.version(), key.tenant().orElse(null), key.parts(), key.toString());
  }

  /** The key that somebody names. */
  static EffectKey key(String operation, int version, @Nullable String tenant, List<String> parts) {
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("the business id is missing: OPERATION PART...");
    }
    EffectKey.Operation begun = EffectKey.of(operation).version(version);
    if (tenant != null) {
      begun = begun.tenant(tenant);
    }
    return begun.id(parts.get(0), parts.subList(1, parts.size()).toArray(String[]::new));
  }
}
