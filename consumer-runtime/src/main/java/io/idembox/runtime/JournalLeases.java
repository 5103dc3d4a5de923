package io.idembox.runtime;

import io.idembox.effect.EffectKey;
import io.idembox.inbox.EffectJournal;
import io.idembox.inbox.EffectJournal.JournalEntry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the journal's marks of this member alive, all with one statement at a time, while their
 * effects wait for their turn or run. Thread-safe.
 */
final class JournalLeases {
  // Two renewals may fail before a lease ends.
  private static final int RENEWALS_PER_LEASE = 3;
  private static final Duration LAST_RENEWAL = Duration.ofSeconds(1);

  private final EffectJournal journal;
  private final Duration length;
  private final Map<Long, JournalEntry> running = new ConcurrentHashMap<>();
  private final PeriodicTask task;

  JournalLeases(String consumer, EffectJournal journal, Duration length) {
    this.journal = journal;
    this.length = length;
    this.task = new PeriodicTask(consumer + "-leases", this::renewAll);
  }

  void start() {
    Duration period = length.dividedBy(RENEWALS_PER_LEASE);
    task.start(period, period);
  }

  Duration length() {
    return length;
  }

  /** Renews the leases of these entries until they are said to have ended, or the scope closes. */
  Renewal renew(Collection<JournalEntry> entries) {
    return new Renewal(entries);
  }

  // A renewal that fails is tried again before the lease ends. If the lease ends all the same, the
  // guard's own lease still keeps a second run away.
  private void renewAll() {
    List<JournalEntry> now = List.copyOf(running.values());
    if (!now.isEmpty()) {
      journal.renew(now, length);
    }
  }

  /** What is being performed or waits for its turn, for the log. */
  List<EffectKey> running() {
    return running.values().stream().map(JournalEntry::key).toList();
  }

  /** Ends the renewal; last of all, when nothing runs any more. */
  void close() {
    task.close(LAST_RENEWAL);
  }

  /** The renewal of one group of entries. */
  final class Renewal implements AutoCloseable {
    private final List<JournalEntry> entries;

    private Renewal(Collection<JournalEntry> entries) {
      this.entries = List.copyOf(entries);
      this.entries.forEach(entry -> running.put(entry.id(), entry));
    }

    /** These are settled: their marks are no longer ours. */
    void ended(Collection<JournalEntry> settled) {
      settled.forEach(entry -> running.remove(entry.id()));
    }

    @Override
    public void close() {
      ended(entries);
    }
  }
}
