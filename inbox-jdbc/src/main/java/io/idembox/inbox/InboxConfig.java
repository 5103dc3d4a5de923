package io.idembox.inbox;

import io.idembox.effect.EffectCodec;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;

/** What a {@link JdbcInbox} was built with; the relations between the time-outs hold. */
record InboxConfig(
    DataSource dataSource,
    Duration lockTimeout,
    Duration statementTimeout,
    Duration effectTimeout,
    Duration idleInTransactionTimeout,
    Duration journalLease,
    EffectCodec codec,
    Consumer<Jdbi> jdbi,
    InboxMetrics metrics) {
  private static final Duration LONGEST = Duration.ofHours(1);

  InboxConfig {
    inRange("lockTimeout", lockTimeout, LONGEST);
    inRange("statementTimeout", statementTimeout, LONGEST);
    inRange("effectTimeout", effectTimeout, LONGEST);
    inRange("idleInTransactionTimeout", idleInTransactionTimeout, LONGEST.multipliedBy(2));
    inRange("journalLease", journalLease, LONGEST);
    if (statementTimeout.compareTo(lockTimeout) <= 0) {
      throw new IllegalArgumentException(
          "statementTimeout "
              + statementTimeout
              + " must be longer than lockTimeout "
              + lockTimeout
              + ": else a wait for a lock looks like a slow statement");
    }
    if (idleInTransactionTimeout.compareTo(effectTimeout) <= 0) {
      throw new IllegalArgumentException(
          "idleInTransactionTimeout "
              + idleInTransactionTimeout
              + " must be longer than effectTimeout "
              + effectTimeout
              + ": else the server ends transactions that wait for an effect");
    }
  }

  private static void inRange(String name, Duration value, Duration longest) {
    if (value.toMillis() < 1 || value.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          name + " must lie between 1 ms and " + longest + ", but is " + value);
    }
  }
}
