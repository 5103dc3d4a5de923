package io.idembox.runtime;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.PruneReport;
import io.idembox.inbox.Pruner;
import java.time.Duration;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prunes the inbox beside the work, in short slices. Runs in each member; the database lets one of
 * them prune at a time.
 */
final class Pruning {
  private static final Logger log = LoggerFactory.getLogger(Pruning.class);
  private static final Duration PAUSE = Duration.ofSeconds(5);
  // At most half of the time: pruning keeps up with any inbox, and leaves it room.
  private static final long LONGEST = PAUSE.toNanos();

  private final Pruner pruner;
  private final Subscribed subscribed;
  private final PeriodicTask task;
  private volatile boolean closed;

  /** All partitions of the topics that the consumer reads, as they are now. */
  @FunctionalInterface
  interface Subscribed {
    /**
     * Asks Kafka.
     *
     * @throws InterruptedException if the thread was interrupted while waiting
     */
    Collection<InboxPartition> partitions() throws InterruptedException;
  }

  Pruning(String consumer, Pruner pruner, Subscribed subscribed) {
    this.pruner = pruner;
    this.subscribed = subscribed;
    this.task = new PeriodicTask(consumer + "-pruner", this::prune);
  }

  void start() {
    task.start(PAUSE, PAUSE);
  }

  private void prune() {
    Collection<InboxPartition> partitions;
    try {
      partitions = subscribed.partitions();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    long end = System.nanoTime() + LONGEST;
    long rows = 0;
    PruneReport report;
    do {
      report = pruner.slice(partitions);
      rows += report.inboxRows();
    } while (!closed && !report.busy() && !report.roundFinished() && System.nanoTime() < end);
    if (rows > 0) {
      log.info("Pruned {} inbox rows", rows);
    }
  }

  void close(Duration limit) {
    closed = true;
    task.close(limit);
  }
}
