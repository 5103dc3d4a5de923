package io.idembox.benchmarks;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** How far a contender is, and when it was through: told after each of its commits. Thread-safe. */
final class Progress {
  private final long target;
  private final AtomicLongArray positions;
  private final AtomicLong done = new AtomicLong();
  private final CompletableFuture<Moment> end = new CompletableFuture<>();

  Progress(long target, int partitions) {
    this.target = target;
    this.positions = new AtomicLongArray(partitions);
  }

  /**
   * All records of a partition below this offset are done. Said twice it counts once: a rebalance
   * may deliver records again.
   */
  void doneUpTo(int partition, long nextOffset) {
    long before =
        positions.getAndAccumulate(partition, nextOffset, (old, next) -> Math.max(old, next));
    if (nextOffset > before) {
      done(nextOffset - before);
    }
  }

  /** So many further records are done. */
  void done(long records) {
    if (done.addAndGet(records) >= target) {
      end.complete(Moment.now());
    }
  }

  /** What went wrong ends the pass. */
  void fail(Throwable failure) {
    end.completeExceptionally(failure);
  }

  boolean isOver() {
    return end.isDone();
  }

  /**
   * Waits for the last record.
   *
   * @param patience how long nothing at all may be done
   * @throws BenchmarkException if the contender failed, or stands still
   */
  Moment awaitEnd(Duration patience) {
    long seen = -1;
    long seenAt = System.nanoTime();
    while (true) {
      try {
        return end.get(1, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw new BenchmarkException("The contender failed: " + e.getCause(), e);
      } catch (TimeoutException e) {
        if (done.get() != seen) {
          seen = done.get();
          seenAt = System.nanoTime();
        } else if (System.nanoTime() - seenAt > patience.toNanos()) {
          throw new BenchmarkException(
              "It stands still with " + seen + " of " + target + " records done", e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new BenchmarkException("Interrupted", e);
      }
    }
  }
}
