package io.idembox.effect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

  /**
   * Compares retentions with how late a request may come again.
   *
   * @param horizon the longest time after which a copy of a request may still arrive, such as a
   *     topic's retention
   * @return one warning per effect that is forgotten before
   */
  public List<StoreFinding> checkRetention(Duration horizon) {
    List<StoreFinding> findings = new ArrayList<>();
    for (Effect<?, ?> effect : byName.values()) {
      Duration retention = effect.policy().retention();
      if (retention.compareTo(horizon) < 0) {
        findings.add(
            new StoreFinding(
                StoreFinding.Severity.WARNING,
                "effect.retention",
                "Effect '%s' is remembered for %s, and copies may come for %s"
                    .formatted(effect.name(), retention, horizon),
                "A copy that comes after that runs it again",
                "Raise its retention to the horizon, or be sure that copies are recognised otherwise"));
      }
    }
    return findings;
  }

  static void checkResolver(Effect<?, ?> effect) {
    if (effect.policy().onUnknown() == OnUnknown.RESOLVE && !(effect instanceof ResolvableEffect)) {
      throw new IllegalArgumentException(
          "Effect '%s' has onUnknown RESOLVE and cannot be asked: let %s implement ResolvableEffect"
              .formatted(effect.name(), effect.getClass().getName()));
    }
  }
}
