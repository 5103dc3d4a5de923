package io.idembox.runtime;

import io.idembox.effect.EffectMetrics;
import io.idembox.effect.EffectStoreException;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Counts, of all effects together, what a replay reports, and passes everything on. */
final class EffectCounts implements EffectMetrics {
  private final EffectMetrics next;
  private final LongAdder performed = new LongAdder();
  private final LongAdder replayed = new LongAdder();

  EffectCounts(EffectMetrics next) {
    this.next = next;
  }

  long performed() {
    return performed.sum();
  }

  long replayed() {
    return replayed.sum();
  }

  @Override
  public void count(String effect, Event event) {
    if (event == Event.PERFORMED) {
      performed.increment();
    } else if (event == Event.REPLAYED) {
      replayed.increment();
    }
    next.count(effect, event);
  }

  @Override
  public void time(String effect, Timing timing, Duration elapsed) {
    next.time(effect, timing, elapsed);
  }

  @Override
  public void storeFailed(EffectStoreException.Kind kind) {
    next.storeFailed(kind);
  }
}
