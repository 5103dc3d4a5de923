package io.idembox.demo.lab;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Some figures with their values. Immutable. */
final class Figures {
  static final Figures NONE = new Figures(new EnumMap<>(Figure.class));

  private final Map<Figure, Number> values;

  private Figures(EnumMap<Figure, Number> values) {
    this.values = Collections.unmodifiableMap(values);
  }

  static Figures of(Figure figure, Number value) {
    return NONE.and(figure, value);
  }

  /** One figure more, or another value of it. */
  Figures and(Figure figure, Number value) {
    EnumMap<Figure, Number> more = new EnumMap<>(Figure.class);
    more.putAll(values);
    more.put(figure, value);
    return new Figures(more);
  }

  Optional<Number> get(Figure figure) {
    return Optional.ofNullable(values.get(figure));
  }

  /** The figures that have a value, in their usual order. */
  Set<Figure> present() {
    return values.keySet();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
