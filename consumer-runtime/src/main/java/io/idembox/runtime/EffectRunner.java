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
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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
  // For the others, whose only cost is that a stop waits for them.
  private static final int STARTED_AT_ONCE = 256;
  private static final Duration NO_CODE_PAUSE = Duration.ofSeconds(30);

  private final EffectJournal journal;
  private final EffectCatalog catalog;
  private final @Nullable EffectGuard guard;
  private final EffectCodec codec;
  private final JournalLeases leases;
  private final EffectHealth health;
  private final Deferral deferral;
  private volatile boolean stopping;

  /** One that puts effects off as is usual. */
  EffectRunner(
      EffectJournal journal,
      EffectCatalog catalog,
      @Nullable EffectGuard guard,
      EffectCodec codec,
      JournalLeases leases,
      EffectHealth health) {
    this(journal, catalog, guard, codec, leases, health, Deferral.DEFAULT);
  }

  EffectRunner(
      EffectJournal journal,
      EffectCatalog catalog,
      @Nullable EffectGuard guard,
      EffectCodec codec,
      JournalLeases leases,
      EffectHealth health,
      Deferral deferral) {
    this.journal = journal;
    this.catalog = catalog;
    this.guard = guard;
    this.codec = codec;
    this.leases = leases;
    this.health = health;
    this.deferral = deferral;
  }

  /**
   * Runs the entries that a transaction of this member has just inserted. Those that were not begun
   * when {@code goOn} turns false are given back: due at once, for whoever comes next. So are those
   * of a record key whose predecessor did not finish: they wait in the journal, and not here.
   *
   * @return whether one that others wait for has finished, so that more may be due now
   */
  boolean run(List<JournalEntry> entries, BooleanSupplier goOn) {
    if (entries.isEmpty()) {
      return false;
    }
    EffectTurns turns = new EffectTurns(entries);
    BooleanSupplier goesOn = () -> !stopping && goOn.getAsBoolean();
    try (JournalLeases.Renewal renewal = leases.renew(entries)) {
      for (List<JournalEntry> round = turns.nextRound();
          !round.isEmpty();
          round = turns.nextRound()) {
        Map<String, List<JournalEntry>> byEffect = new LinkedHashMap<>();
        for (JournalEntry entry : round) {
          byEffect.computeIfAbsent(entry.effect(), name -> new ArrayList<>()).add(entry);
        }
        byEffect.forEach((effect, owed) -> runGroup(effect, owed, new Run(turns, renewal, goesOn)));
      }
    }
    giveBackHeldUp(turns.heldUp());
    return turns.freed();
  }

  /** What one call of {@link #run} has in its hands. */
  private record Run(EffectTurns turns, JournalLeases.Renewal renewal, BooleanSupplier goOn) {}

  private void giveBackHeldUp(List<JournalEntry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    log.info(
        "{} effects wait for earlier ones of their record keys; the first is {}",
        entries.size(),
        entries.get(0).key());
    try {
      journal.giveBack(entries);
    } catch (RuntimeException e) {
      log.warn("They are due when their lease has ended: {}", Causes.summary(e));
    }
  }

  /** Runs what is still owed for messages that were recorded before. */
  void runUnfinishedOf(Collection<UUID> messageIds, BooleanSupplier goOn) {
    if (!messageIds.isEmpty() && guard != null) {
      boolean more = true;
      while (more && goOn.getAsBoolean()) {
        more = run(journal.takeUnfinishedOf(messageIds, leases.length()), goOn);
      }
    }
  }

  /**
   * Runs what is due and belongs to nobody.
   *
   * @return whether there may be more of it at once
   */
  boolean runDue(int most) {
    if (guard == null || stopping) {
      return false;
    }
    List<JournalEntry> due = journal.takeDue(most, leases.length());
    boolean freed = run(due, () -> true);
    return freed || due.size() == most;
  }

  /** Begins no further effect; those that run may end. */
  void stop() {
    stopping = true;
  }

  private void runGroup(String name, List<JournalEntry> owed, Run run) {
    try {
      Effect<?, ?> effect = catalog.find(name).orElse(null);
      if (effect == null || guard == null) {
        log.error("This member has no effect named {}; {} requests of it wait", name, owed.size());
        journal.settle(
            owed.stream()
                .map(entry -> Settlement.retryAt(entry, NO_CODE_PAUSE, "no effect named " + name))
                .toList());
      } else {
        List<JournalEntry> now = health.admitted(name, owed);
        postpone(name, owed.subList(now.size(), owed.size()));
        performAll(new EffectGroup<>(effect, guard, codec, deferral), name, now, run);
      }
    } catch (RuntimeException e) {
      // One effect's trouble is not the others'. Its entries stay as they are, owed: when their
      // lease has ended they are taken again, and the guard knows which of them have happened.
      log.error(
          "{} requests of effect {} could not be performed or settled now; they are tried again"
              + " when their lease has ended: {}",
          owed.size(),
          name,
          Causes.summary(e));
    }
  }

  /** Their provider seems to be away: no attempt of theirs is used up. */
  private void postpone(String name, List<JournalEntry> entries) {
    if (!entries.isEmpty()) {
      journal.settle(health.postponed(name, entries));
    }
  }

  private void performAll(EffectGroup<?, ?> group, String name, List<JournalEntry> owed, Run run) {
    List<JournalEntry> started = new ArrayList<>();
    List<JournalEntry> unstarted = new ArrayList<>();
    for (JournalEntry entry : owed) {
      (entry.started() ? started : unstarted).add(entry);
    }
    inParts(name, started, STARTED_AT_ONCE, run, part -> perform(group, name, part, run));
    inParts(
        name,
        unstarted,
        group.marksHaveConsequences() ? MARKED_AT_ONCE : STARTED_AT_ONCE,
        run,
        part -> perform(group, name, marked(part, run), run));
  }

  private List<JournalEntry> marked(List<JournalEntry> entries, Run run) {
    List<JournalEntry> marked = journal.markStarted(entries, leases.length());
    if (marked.size() < entries.size()) {
      // Another member has them, which this leaves alone; or one before them in their queue has not
      // finished, and then they are nobody's until it has.
      Set<Long> ids = marked.stream().map(JournalEntry::id).collect(Collectors.toSet());
      giveBack(
          entries.stream()
              .filter(entry -> entry.turn() != null && !ids.contains(entry.id()))
              .toList(),
          run);
    }
    return marked;
  }

  /**
   * Its lease's renewal ends first: the sweeper of this very member may take an entry at once, and
   * renews it then.
   */
  private void giveBack(List<JournalEntry> entries, Run run) {
    run.renewal().ended(entries);
    journal.giveBack(entries);
  }

  private void inParts(
      String name,
      List<JournalEntry> entries,
      int most,
      Run run,
      Consumer<List<JournalEntry>> perform) {
    for (int from = 0; from < entries.size(); from += most) {
      if (!run.goOn().getAsBoolean()) {
        List<JournalEntry> rest = entries.subList(from, entries.size());
        giveBack(rest, run);
        log.info("{} effects were not begun; they are due for another member", rest.size());
        return;
      }
      if (from > 0 && health.slowed().contains(name)) {
        postpone(name, entries.subList(from, entries.size()));
        return;
      }
      perform.accept(entries.subList(from, Math.min(entries.size(), from + most)));
    }
  }

  private void perform(EffectGroup<?, ?> group, String name, List<JournalEntry> started, Run run) {
    if (!started.isEmpty()) {
      List<Settlement> settlements = group.perform(started);
      health.ended(name, settlements);
      journal.settle(settlements);
      run.renewal().ended(started);
      run.turns().ended(settlements);
    }
  }
}
