package io.idembox.effect;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Waiting for a store's answers. */
final class StoreCalls {
  private final EffectStore store;
  private final EffectMetrics metrics;

  StoreCalls(EffectStore store, EffectMetrics metrics) {
    this.store = store;
    this.metrics = metrics;
  }

  EffectStore store() {
    return store;
  }

  /** As the store's, with whatever it throws as a failure. */
  CompletionStage<StoreReply> apply(StoreCommand command) {
    try {
      return store.apply(command);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** As the store's, with whatever it throws as the failure of each. */
  List<CompletionStage<StoreReply>> applyAll(List<? extends StoreCommand> commands) {
    try {
      return store.applyAll(commands);
    } catch (RuntimeException e) {
      return Collections.nCopies(commands.size(), CompletableFuture.failedFuture(e));
    }
  }

  /**
   * Waits for one answer, giving up when interrupted. Bounded by the store, which ends each command
   * in time.
   */
  <T> T await(CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw counted(unwrap(e));
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
