package io.idembox.effect;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one background thread of a guard: renews leases and repeats what the store did not answer.
 */
final class GuardTimer implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardTimer.class);
  private static final long LONGEST_TURN = Duration.ofMillis(100).toNanos();
  private static final int TURNS_PER_AFTERWORK = 4;

  private final LeaseKeeper leases;
  private final Afterwork afterwork;
  private final MarkerWatch marker;
  private final Thread thread;
  private volatile boolean stopped;
  private volatile boolean hurried;
  private volatile long turn = LONGEST_TURN;

  GuardTimer(String name, LeaseKeeper leases, Afterwork afterwork, MarkerWatch marker) {
    this.leases = leases;
    this.afterwork = afterwork;
    this.marker = marker;
    this.thread = new Thread(this, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Makes sure that a lease of this length is looked at often enough. */
  void serve(Duration lease) {
    long wanted = lease.toNanos() / 10;
    if (wanted < turn) {
      turn = wanted;
      LockSupport.unpark(thread);
    }
  }

  /** The store is there again: what waits for it is sent before others ask for the same keys. */
  void hurry() {
    hurried = true;
    LockSupport.unpark(thread);
  }

  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    int count = 0;
    while (!stopped) {
      LockSupport.parkNanos(this, turn);
      try {
        boolean now = hurried;
        hurried = false;
        leases.turn();
        if (now || ++count % TURNS_PER_AFTERWORK == 0) {
          afterwork.turn();
          marker.turn();
        }
      } catch (Throwable e) {
        // The edge of this loop: without it, one surprise, an error too, would end the renewal of
        // every lease.
        LOG.error("A turn of the guard's timer failed; the next one follows", e);
      }
    }
  }
}
