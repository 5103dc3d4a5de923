package io.idembox.effect;

import java.security.MessageDigest;

/** Makes the ids of one namespace, whose part of the digest is worked out once. */
final class EffectIds {
  private final String namespace;
  private final MessageDigest fed;

  EffectIds(String namespace) {
    this.namespace = namespace;
    this.fed = EffectKeyHash.fed(namespace);
  }

  EffectId of(EffectKey key) {
    return new EffectId(namespace, EffectKeyHash.of(EffectKeyHash.copy(fed), key.raw()));
  }
}
