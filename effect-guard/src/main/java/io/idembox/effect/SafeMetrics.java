package io.idembox.effect;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what a user's metrics throw away from the guard: a counter that fails must not look like an
 * effect that did, nor end a renewal.
 */
final class SafeMetrics implements EffectMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(SafeMetrics.class);

  private final EffectMetrics metrics;
  private final AtomicBoolean told = new AtomicBoolean();

  private SafeMetrics(EffectMetrics metrics) {
    this.metrics = metrics;
  }

  static EffectMetrics of(EffectMetrics metrics) {
    return metrics == NONE ? NONE : new SafeMetrics(metrics);
  }

  @Override
  public void count(String effect, Event event) {
    try {
      metrics.count(effect, event);
    } catch (Throwable e) {
      tell(e);
    }
  }

  @Override
  public void time(String effect, Timing timing, Duration elapsed) {
    try {
      metrics.time(effect, timing, elapsed);
    } catch (Throwable e) {
      tell(e);
    }
  }

  @Override
  public void storeFailed(EffectStoreException.Kind kind) {
    try {
      metrics.storeFailed(kind);
    } catch (Throwable e) {
      tell(e);
    }
  }

  private void tell(Throwable e) {
    if (told.compareAndSet(false, true)) {
      LOG.warn("The guard's metrics failed; figures are missing from now on", e);
    }
  }
}
