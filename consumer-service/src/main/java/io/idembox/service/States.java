package io.idembox.service;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** States that somebody names, for a command or for the API. */
final class States {
  private States() {}

  /**
   * Those named, with commas between them.
   *
   * @param text null for the usual ones
   * @throws IllegalArgumentException if one of them is none
   */
  static <E extends Enum<E>> Set<E> named(@Nullable String text, Class<E> type, Set<E> usual) {
    if (text == null) {
      return usual;
    }
    if (text.equals("all")) {
      return EnumSet.allOf(type);
    }
    ValueType<E> one = ValueType.choice(type);
    Set<E> states = EnumSet.noneOf(type);
    for (String name : text.split(",", -1)) {
      try {
        states.add(one.parse(name));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("state '" + name + "' " + e.getMessage(), e);
      }
    }
    return states;
  }
}
