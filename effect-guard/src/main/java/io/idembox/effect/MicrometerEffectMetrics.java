package io.idembox.effect;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts in Micrometer: {@code idembox.effect.calls} by effect and outcome, {@code
 * idembox.effect.events} by effect and event, {@code idembox.effect.store.errors} by kind, and
 * timers {@code idembox.effect.claim}, {@code .complete} and {@code .run} by effect. Needs
 * micrometer-core on the class path; the guard does not.
 */
public final class MicrometerEffectMetrics implements EffectMetrics {
  private final MeterRegistry registry;
  private final Map<EventKey, Counter> counters = new ConcurrentHashMap<>();
  private final Map<TimingKey, Timer> timers = new ConcurrentHashMap<>();

  private record EventKey(String effect, Event event) {}

  private record TimingKey(String effect, Timing timing) {}

  private MicrometerEffectMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  public static MicrometerEffectMetrics of(MeterRegistry registry) {
    return new MicrometerEffectMetrics(registry);
  }

  @Override
  public void count(String effect, Event event) {
    counters.computeIfAbsent(new EventKey(effect, event), this::counter).increment();
  }

  private Counter counter(EventKey key) {
    String value = key.event().name().toLowerCase(Locale.ROOT);
    return key.event().outcome()
        ? registry.counter("idembox.effect.calls", "effect", key.effect(), "outcome", value)
        : registry.counter("idembox.effect.events", "effect", key.effect(), "event", value);
  }

  @Override
  public void time(String effect, Timing timing, Duration elapsed) {
    timers.computeIfAbsent(new TimingKey(effect, timing), this::timer).record(elapsed);
  }

  private Timer timer(TimingKey key) {
    String name =
        switch (key.timing()) {
          case CLAIM -> "idembox.effect.claim";
          case COMPLETE -> "idembox.effect.complete";
          case EFFECT -> "idembox.effect.run";
        };
    return registry.timer(name, "effect", key.effect());
  }

  @Override
  public void storeFailed(EffectStoreException.Kind kind) {
    registry
        .counter("idembox.effect.store.errors", "kind", kind.name().toLowerCase(Locale.ROOT))
        .increment();
  }
}
