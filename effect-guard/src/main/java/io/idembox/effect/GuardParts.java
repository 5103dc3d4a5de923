package io.idembox.effect;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** What the pieces of one guard share. */
record GuardParts(
    String namespace,
    String owner,
    EffectCodec codec,
    EffectMetrics metrics,
    Function<EffectKey, String> keyFormat,
    LongSupplier nanos,
    Executor executor,
    Semaphore permits,
    StoreCalls calls,
    LeaseKeeper leases,
    Afterwork afterwork,
    GuardTimer timer) {

  /** The key as it may stand in logs and messages. */
  String shown(EffectKey key) {
    try {
      return String.valueOf(keyFormat.apply(key));
    } catch (Throwable e) {
      // A user's code, asked in the middle of everything: its failure must not become an effect's.
      // Not the key itself, for the format may be there to hide it.
      return key.operation() + "[its key format failed: " + e.getClass().getSimpleName() + "]";
    }
  }

  void count(String effect, EffectMetrics.Event event) {
    metrics.count(effect, event);
  }

  void time(String effect, EffectMetrics.Timing timing, long sinceNanos) {
    if (metrics == EffectMetrics.NONE) {
      return;
    }
    metrics.time(effect, timing, Duration.ofNanos(nanos.getAsLong() - sinceNanos));
  }
}
