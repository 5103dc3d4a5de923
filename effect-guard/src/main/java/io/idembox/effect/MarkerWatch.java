package io.idembox.effect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the namespace's marker when the guard starts, after each reconnect, and now and then: a
 * marker that has changed tells that the store lost its data, and with it what it knew to be done.
 */
final class MarkerWatch {
  private static final Logger LOG = LoggerFactory.getLogger(MarkerWatch.class);
  private static final long INTERVAL = Duration.ofSeconds(10).toNanos();

  private final EffectStore store;
  private final String namespace;
  private final EffectMetrics metrics;
  private final LongSupplier nanos;
  private volatile boolean due = true;
  private volatile boolean asking;
  private volatile long askedAt;
  private @Nullable StoreMarker known;
  private @Nullable StoreFinding loss;

  MarkerWatch(EffectStore store, String namespace, EffectMetrics metrics, LongSupplier nanos) {
    this.store = store;
    this.namespace = namespace;
    this.metrics = metrics;
    this.nanos = nanos;
    store.onReconnect(() -> due = true);
  }

  /** One turn of the guard's timer. */
  void turn() {
    if (asking || (!due && nanos.getAsLong() - askedAt < INTERVAL)) {
      return;
    }
    asking = true;
    due = false;
    askedAt = nanos.getAsLong();
    var unused =
        store
            .marker(namespace)
            .whenComplete(
                (marker, failure) -> {
                  if (failure == null) {
                    seen(marker);
                  }
                  asking = false;
                });
  }

  synchronized void seen(StoreMarker marker) {
    if (known != null && !known.id().equals(marker.id())) {
      metrics.count("", EffectMetrics.Event.DATA_LOST);
      loss =
          new StoreFinding(
              StoreFinding.Severity.ERROR,
              "store.data-lost",
              "The store lost the data of namespace '%s': its marker of %s is gone"
                  .formatted(namespace, known.createdAt()),
              "Effects that it knew to be done may run again",
              "Find out why, and compare with the provider what was sent since");
      LOG.error("{}", loss);
    }
    known = marker;
  }

  /** A loss that was seen since the start, and whether the namespace is new to the store. */
  synchronized List<StoreFinding> findings() {
    List<StoreFinding> found = new ArrayList<>();
    if (loss != null) {
      found.add(loss);
    }
    if (known != null && known.fresh()) {
      found.add(
          new StoreFinding(
              StoreFinding.Severity.INFO,
              "store.namespace-new",
              "Namespace '" + namespace + "' is new to this store",
              "If this service has run here before, the store lost its data",
              "Nothing, if this is its first start"));
    }
    return found;
  }
}
