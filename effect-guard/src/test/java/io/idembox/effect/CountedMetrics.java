package io.idembox.effect;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Metrics that a test can ask. */
final class CountedMetrics implements EffectMetrics {
  private final Map<Object, Integer> counts = new ConcurrentHashMap<>();

  @Override
  public void count(String effect, Event event) {
    counts.merge(event, 1, Integer::sum);
  }

  @Override
  public void time(String effect, Timing timing, Duration elapsed) {
    counts.merge(timing, 1, Integer::sum);
  }

  @Override
  public void storeFailed(EffectStoreException.Kind kind) {
    counts.merge(kind, 1, Integer::sum);
  }

  int of(Object what) {
    return counts.getOrDefault(what, 0);
  }
}
