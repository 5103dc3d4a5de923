package io.idembox.effect;

import java.time.Instant;

/**
 * The server's clock as its last answer told it. Good for the second at which an effect ended, not
 * for leases: those are the server's own business.
 */
final class ServerClock {
  private record Sample(long millis, long nanos) {}

  private volatile Sample last = new Sample(System.currentTimeMillis(), System.nanoTime());

  void learn(Instant told) {
    last = new Sample(told.toEpochMilli(), System.nanoTime());
  }

  long millis() {
    Sample sample = last;
    return sample.millis() + (System.nanoTime() - sample.nanos()) / 1_000_000;
  }
}
