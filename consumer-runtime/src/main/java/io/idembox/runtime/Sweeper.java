package io.idembox.runtime;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at intervals for effects that nobody works on: those that were put off, and those whose
 * member died. Runs in each member; the journal hands each effect to one of them.
 */
final class Sweeper {
  private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
  // A sweep that takes this many takes again at once: there is more than one interval's worth.
  private static final int MOST_AT_ONCE = 200;

  private final EffectRunner effects;
  private final Duration interval;
  private final PeriodicTask task;
  private volatile boolean closed;

  Sweeper(String consumer, EffectRunner effects, Duration interval) {
    this.effects = effects;
    this.interval = interval;
    this.task = new PeriodicTask(consumer + "-sweeper", this::sweep);
  }

  void start() {
    // At once for the first time: a member that takes over after a crash finds what was left.
    task.start(Duration.ZERO, interval);
  }

  private void sweep() {
    while (!closed && effects.runDue(MOST_AT_ONCE)) {
      log.debug("More effects are due");
    }
  }

  /** Starts no further sweep, and waits for one that runs: what it performs is not cut off. */
  void close(Duration limit) {
    closed = true;
    task.close(limit);
  }
}
