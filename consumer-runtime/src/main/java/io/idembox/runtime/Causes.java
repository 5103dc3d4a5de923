package io.idembox.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chains of causes, which may bite their own tail. */
final class Causes {
  private Causes() {}

  /** The failure, its cause, and so on to the root. */
  static List<Throwable> of(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Throwable> chain = new ArrayList<>();
    for (@Nullable Throwable t = failure; t != null && seen.add(t); t = t.getCause()) {
      chain.add(t);
    }
    return chain;
  }

  static Throwable root(Throwable failure) {
    List<Throwable> chain = of(failure);
    return chain.get(chain.size() - 1);
  }
}
