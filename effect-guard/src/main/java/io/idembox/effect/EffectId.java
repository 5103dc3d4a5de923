package io.idembox.effect;

import static java.util.Objects.requireNonNull;

/**
 * Where a store keeps an effect.
 *
 * @param namespace of the guard; one in-doubt index each
 * @param hash over namespace and key
 */
public record EffectId(String namespace, EffectKeyHash hash) {
  public EffectId {
    requireNonNull(namespace, "namespace");
    requireNonNull(hash, "hash");
  }

  public static EffectId of(String namespace, EffectKey key) {
    return new EffectId(namespace, key.hash(namespace));
  }
}
