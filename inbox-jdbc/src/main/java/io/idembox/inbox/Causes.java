package io.idembox.inbox;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads exceptions of other people's making, which may be circular, endless, or refuse to print.
 */
final class Causes {
  private static final int DEEPEST = 50;

  private Causes() {}

  /** The failure and its causes, outermost first. */
  static List<Throwable> of(Throwable failure) {
    List<Throwable> chain = new ArrayList<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable t = failure;
        t != null && chain.size() < DEEPEST && seen.add(t);
        t = t.getCause()) {
      chain.add(t);
    }
    return chain;
  }

  /** Its message; null when it has none or does not give it. */
  static @Nullable String message(Throwable failure) {
    try {
      return failure.getMessage();
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      // A message that is made when it is asked for, by code that fails.
      return "(its message cannot be had: " + e.getClass().getName() + ")";
    }
  }

  /** As {@link Throwable#toString}, from what it gives. */
  static String text(Throwable failure) {
    String message = message(failure);
    String name = failure.getClass().getName();
    return message == null ? name : name + ": " + message;
  }
}
