package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/** Knows whether this thread is in an effect's code. */
final class InsideEffect {
  // A place that stays: setting and removing a thread's value takes several times as long.
  private static final ThreadLocal<Place> PLACE = ThreadLocal.withInitial(Place::new);

  private static final class Place {
    private @Nullable String operation;
  }

  private InsideEffect() {}

  /** The operation whose code runs on this thread; null if none does. */
  static @Nullable String operation() {
    return PLACE.get().operation;
  }

  /** Gives what was there before, for {@link #leave}. */
  static @Nullable String enter(String operation) {
    Place place = PLACE.get();
    String before = place.operation;
    place.operation = operation;
    return before;
  }

  static void leave(@Nullable String before) {
    PLACE.get().operation = before;
  }
}
