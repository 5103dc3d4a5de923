package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/** Knows whether this thread is in an effect's code. */
final class InsideEffect {
  private static final ThreadLocal<@Nullable String> OPERATION = new ThreadLocal<>();

  private InsideEffect() {}

  /** The operation whose code runs on this thread; null if none does. */
  static @Nullable String operation() {
    return OPERATION.get();
  }

  /** Gives what was there before, for {@link #leave}. */
  static @Nullable String enter(String operation) {
    String before = OPERATION.get();
    OPERATION.set(operation);
    return before;
  }

  static void leave(@Nullable String before) {
    if (before == null) {
      OPERATION.remove();
    } else {
      OPERATION.set(before);
    }
  }
}
