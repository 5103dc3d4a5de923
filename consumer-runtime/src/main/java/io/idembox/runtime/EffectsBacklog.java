package io.idembox.runtime;

import io.idembox.inbox.EffectJournal;
import java.time.Duration;

/** Knows about how many effects the journal owes, without asking it for each batch. Thread-safe. */
final class EffectsBacklog {
  private static final Duration INTERVAL = Duration.ofSeconds(3);

  private final EffectJournal journal;
  private final PeriodicTask task;
  private volatile long unsettled;

  EffectsBacklog(String consumer, EffectJournal journal) {
    this.journal = journal;
    this.task = new PeriodicTask(consumer + "-backlog", this::count);
  }

  void start() {
    task.start(Duration.ZERO, INTERVAL);
  }

  private void count() {
    unsettled = journal.unfinished();
  }

  long unsettled() {
    return unsettled;
  }

  void close(Duration limit) {
    task.close(limit);
  }
}
