package io.idembox.runtime;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectCodec;
import io.idembox.effect.EffectGuard;
import io.idembox.inbox.EffectJournal;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs what the journal owes: each entry goes through the guard, and its outcome back into the
 * journal, a group of entries of one effect at a time. Thread-safe.
 *
 * <p>The journal is told twice: an entry is marked as started for this member before the guard is
 * asked, and settled after. So a process that dies in between leaves "may have started", which the
 * effect's policy then answers; it never leaves "not started" for something that ran.
 */
final class EffectRunner {
  private static final Logger log = LoggerFactory.getLogger(EffectRunner.class);
  // For effects whose mark alone has consequences after a crash: a person or the provider is asked.
  private static final int MARKED_AT_ONCE = 32;
  private static final Duration NO_CODE_PAUSE = Duration.ofSeconds(30);

  private final EffectJournal journal;
  private final EffectCatalog catalog;
  private final @Nullable EffectGuard guard;
  private final EffectCodec codec;
  private final JournalLeases leases;

  EffectRunner(
      EffectJournal journal,
      EffectCatalog catalog,
      @Nullable EffectGuard guard,
      EffectCodec codec,
      JournalLeases leases) {
    this.journal = journal;
    this.catalog = catalog;
    this.guard = guard;
    this.codec = codec;
    this.leases = leases;
  }

  /** Runs the entries that a transaction of this member has just inserted. */
  void run(List<JournalEntry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    Map<String, List<JournalEntry>> byEffect = new LinkedHashMap<>();
    for (JournalEntry entry : entries) {
      byEffect.computeIfAbsent(entry.effect(), name -> new ArrayList<>()).add(entry);
    }
    try (JournalLeases.Renewal renewal = leases.renew(entries)) {
      byEffect.forEach((effect, owed) -> runGroup(effect, owed, renewal));
    }
  }

  /** Runs what is still owed for messages that were recorded before. */
  void runUnfinishedOf(Collection<UUID> messageIds) {
    if (!messageIds.isEmpty() && guard != null) {
      run(journal.takeUnfinishedOf(messageIds, leases.length()));
    }
  }

  /** Runs what is due and belongs to nobody; returns how many entries were taken. */
  int runDue(int most) {
    if (guard == null) {
      return 0;
    }
    List<JournalEntry> due = journal.takeDue(most, leases.length());
    run(due);
    return due.size();
  }

  private void runGroup(String name, List<JournalEntry> owed, JournalLeases.Renewal renewal) {
    Effect<?, ?> effect = catalog.find(name).orElse(null);
    if (effect == null || guard == null) {
      log.error("This member has no effect named {}; {} requests of it wait", name, owed.size());
      journal.settle(
          owed.stream()
              .map(entry -> Settlement.retryAt(entry, NO_CODE_PAUSE, "no effect named " + name))
              .toList());
      return;
    }
    EffectGroup<?, ?> group = new EffectGroup<>(effect, guard, codec);
    List<JournalEntry> unstarted = new ArrayList<>();
    List<JournalEntry> started = new ArrayList<>();
    for (JournalEntry entry : owed) {
      (entry.started() ? started : unstarted).add(entry);
    }
    perform(group, started, renewal);
    for (int from = 0; from < unstarted.size(); from += MARKED_AT_ONCE) {
      int to = Math.min(unstarted.size(), from + MARKED_AT_ONCE);
      perform(group, journal.markStarted(unstarted.subList(from, to), leases.length()), renewal);
    }
  }

  private void perform(
      EffectGroup<?, ?> group, List<JournalEntry> started, JournalLeases.Renewal renewal) {
    if (!started.isEmpty()) {
      journal.settle(group.perform(started));
      renewal.ended(started);
    }
  }
}
