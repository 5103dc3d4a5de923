package io.idembox.runtime;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * What a start asks of the database, past connections that are dead already. A pool that outlives
 * its consumer may hand out one whose server was restarted a moment ago: pools check a connection
 * only if it was idle for a while. Such a failure says nothing about the database.
 */
final class StaleConnections {
  // The connection was there and broke: closed, broken off, ended by an administrator, ended by a
  // crash. Not 08001, which is a server that is away.
  private static final Set<String> BROKE = Set.of("08003", "08006", "57P01", "57P02");
  // With what else a start asks, below the 10 seconds within which it is refused.
  private static final Duration LIMIT = Duration.ofSeconds(3);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private StaleConnections() {}

  /**
   * The answer of the first question that got one.
   *
   * @param question may be asked again after it failed half way
   */
  static <T> T past(Supplier<T> question) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        return question.get();
      } catch (RuntimeException e) {
        if (!broke(e) || System.nanoTime() >= end || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static boolean broke(Throwable failure) {
    return Causes.of(failure).stream()
        .anyMatch(t -> t instanceof SQLException sql && BROKE.contains(state(sql)));
  }

  private static String state(SQLException e) {
    return e.getSQLState() == null ? "" : e.getSQLState();
  }
}
