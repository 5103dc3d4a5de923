package io.idembox.effect;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waiting for a store's answers, always bounded. */
final class StoreCalls {
  private final EffectStore store;
  private final EffectMetrics metrics;
  private final long waitNanos;

  StoreCalls(EffectStore store, EffectMetrics metrics) {
    this.store = store;
    this.metrics = metrics;
    // The store ends each command by itself; this only keeps a broken one from hanging its callers.
    this.waitNanos = store.commandTimeout().plus(store.commandTimeout()).plusSeconds(1).toNanos();
  }

  EffectStore store() {
    return store;
  }

  /** Waits for one answer, giving up when interrupted. */
  <T> T await(CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get(waitNanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw counted(unwrap(e));
    } catch (TimeoutException e) {
      throw counted(
          new EffectStoreException(
              EffectStoreException.Kind.TIMEOUT,
              "The effect store has not answered within " + Duration.ofNanos(waitNanos),
              e));
    }
  }

  /** Waits for one answer through interrupts, and sets the flag again afterwards. */
  <T> T awaitUninterruptibly(CompletionStage<T> stage) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return await(stage);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private EffectStoreException counted(EffectStoreException e) {
    metrics.storeFailed(e.kind());
    return e;
  }

  /** The store's exception inside what futures wrap around it. */
  static EffectStoreException unwrap(@Nullable Throwable failure) {
    Throwable inner = failure;
    while ((inner instanceof CompletionException || inner instanceof ExecutionException)
        && inner.getCause() != null) {
      inner = inner.getCause();
    }
    if (inner instanceof EffectStoreException e) {
      return e;
    }
    return new EffectStoreException(
        EffectStoreException.Kind.OTHER, "The effect store failed: " + inner, inner);
  }
}
