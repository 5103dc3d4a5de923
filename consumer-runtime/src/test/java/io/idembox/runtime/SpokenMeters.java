package io.idembox.runtime;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Says the counters of a process on its output, as a scrape would find them. */
final class SpokenMeters {
  private SpokenMeters() {}

  /** A registry whose counters about offsets are said whenever one has changed. */
  static SimpleMeterRegistry ofOffsets() {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    Map<Meter.Id, Double> said = new ConcurrentHashMap<>();
    ScheduledFuture<?> unused =
        Executors.newSingleThreadScheduledExecutor(Threads.platform("spoken-meters-"))
            .scheduleWithFixedDelay(
                () ->
                    meters.forEachMeter(
                        meter -> {
                          if (meter instanceof Counter counter
                              && meter.getId().getName().startsWith("idembox.offsets")) {
                            double now = counter.count();
                            Double before = said.put(meter.getId(), now);
                            if (before == null ? now > 0 : before != now) {
                              System.out.printf("METER %s %.0f%n", meter.getId().getName(), now);
                            }
                          }
                        }),
                100,
                100,
                TimeUnit.MILLISECONDS);
    return meters;
  }
}
