package io.idembox.inbox;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages whose COMMIT was under way when the connection was lost. The next claim of each settles
 * it: it waits for the old transaction where that is still running, which a query would not. No
 * message speaks for another; others may have claimed some of them in between.
 */
final class UnsettledCommits {
  private static final Logger log = LoggerFactory.getLogger(UnsettledCommits.class);

  private final String consumer;
  private final InboxMetrics metrics;
  private final Set<UUID> unknown = new HashSet<>();

  /** Found committed, and their effects not asked for since. */
  private final Set<UUID> committed = new HashSet<>();

  private volatile boolean any;

  UnsettledCommits(String consumer, InboxMetrics metrics) {
    this.consumer = consumer;
    this.metrics = metrics;
  }

  synchronized void add(List<InboxClaim> claims) {
    any = true;
    metrics.commitUnknown();
    claims.forEach(claim -> unknown.add(claim.messageId()));
    log.warn(
        "Consumer {}: the connection was lost while the COMMIT of {} messages was under way;"
            + " claiming them again will tell for each whether it took effect",
        consumer,
        claims.size());
  }

  /** A claim was answered. */
  void seen(List<InboxClaim> claims, BitSet fresh) {
    if (!any) {
      return;
    }
    int took = 0;
    int lost = 0;
    synchronized (this) {
      for (int i = 0; i < claims.size(); i++) {
        UUID id = claims.get(i).messageId();
        if (unknown.remove(id)) {
          if (fresh.get(i)) {
            lost++;
          } else {
            took++;
            committed.add(id);
          }
        }
      }
      any = !unknown.isEmpty() || !committed.isEmpty();
    }
    if (took + lost > 0) {
      log.info(
          "Consumer {}: the COMMIT whose outcome was unknown is settled: {} messages are committed,"
              + " {} are not and are handled again",
          consumer,
          took,
          lost);
    }
  }

  /** Whether {@link #takeCommitted} may have something to tell. */
  boolean anyCommitted() {
    if (!any) {
      return false;
    }
    synchronized (this) {
      return !committed.isEmpty();
    }
  }

  /**
   * Of these messages, those whose effects this member wrote in a transaction of which it never
   * learnt that it was committed: it holds their marks, and has not begun to perform them. Asked
   * once.
   */
  Set<UUID> takeCommitted(Iterable<UUID> ids) {
    if (!any) {
      return Set.of();
    }
    Set<UUID> mine = new HashSet<>();
    synchronized (this) {
      for (UUID id : ids) {
        if (committed.remove(id)) {
          mine.add(id);
        }
      }
      any = !unknown.isEmpty() || !committed.isEmpty();
    }
    return mine;
  }
}
