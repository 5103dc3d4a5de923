package io.idembox.effect;

import io.lettuce.core.protocol.AsyncCommand;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends commands that were not answered in time. The client could do so itself, at 4 to 10
 * microseconds a command for a timer of its own; as all our commands have the same limit, they end
 * in the order in which they were sent, and one queue does.
 */
final class RedisDeadlines implements Runnable, AutoCloseable {
  private final String where;
  private final long limit;
  private final long turn;
  private final Queue<Sent> queue = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean closed;

  private record Sent(AsyncCommand<?, ?, ?> command, long deadline) {}

  RedisDeadlines(String where, Duration limit) {
    this.where = where;
    this.limit = limit.toNanos();
    this.turn = Math.min(this.limit / 10, Duration.ofMillis(50).toNanos());
    this.thread = new Thread(this, "effect-store-deadlines");
    thread.setDaemon(true);
    thread.start();
  }

  void watch(AsyncCommand<?, ?, ?> command) {
    queue.add(new Sent(command, System.nanoTime() + limit));
  }

  @Override
  public void run() {
    while (!closed) {
      LockSupport.parkNanos(this, turn);
      for (Sent next = queue.peek(); next != null && ended(next); next = queue.peek()) {
        queue.remove();
      }
    }
  }

  private boolean ended(Sent sent) {
    if (sent.command().isDone()) {
      return true;
    }
    if (sent.deadline() - System.nanoTime() > 0) {
      return false;
    }
    sent.command()
        .completeExceptionally(
            new EffectStoreException(
                EffectStoreException.Kind.TIMEOUT,
                "Redis at %s has not answered within %d ms"
                    .formatted(where, Duration.ofNanos(limit).toMillis()),
                null));
    return true;
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
