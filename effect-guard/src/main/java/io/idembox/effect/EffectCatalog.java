package io.idembox.effect;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The effects of a process, found by name. Immutable. */
public final class EffectCatalog {
  private final Map<String, Effect<?, ?>> byName;

  private EffectCatalog(Map<String, Effect<?, ?>> byName) {
    this.byName = byName;
  }

  /**
   * Gathers effects.
   *
   * @throws IllegalArgumentException if two effects share a name, or one has {@link
   *     OnUnknown#RESOLVE} and is no {@link ResolvableEffect}
   */
  public static EffectCatalog of(Effect<?, ?>... effects) {
    Map<String, Effect<?, ?>> byName = new LinkedHashMap<>();
    for (Effect<?, ?> effect : effects) {
      checkResolver(effect);
      Effect<?, ?> other = byName.putIfAbsent(effect.name().name(), effect);
      if (other != null) {
        throw new IllegalArgumentException(
            "Effect name '%s' is used by %s and by %s: give each a name of its own"
                .formatted(effect.name(), other.getClass().getName(), effect.getClass().getName()));
      }
    }
    return new EffectCatalog(Map.copyOf(byName));
  }

  public Optional<Effect<?, ?>> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  public boolean contains(EffectName<?, ?> name) {
    Effect<?, ?> found = byName.get(name.name());
    return found != null && found.name().equals(name);
  }

  public Set<String> names() {
    return byName.keySet();
  }

  static void checkResolver(Effect<?, ?> effect) {
    if (effect.policy().onUnknown() == OnUnknown.RESOLVE && !(effect instanceof ResolvableEffect)) {
      throw new IllegalArgumentException(
          "Effect '%s' has onUnknown RESOLVE and cannot be asked: let %s implement ResolvableEffect"
              .formatted(effect.name(), effect.getClass().getName()));
    }
  }
}
