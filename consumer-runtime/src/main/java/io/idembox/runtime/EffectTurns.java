package io.idembox.runtime;

import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.EffectJournal.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rounds in which journal entries run: all that have no turn in the first, and of each queue
 * one a round, as long as the one before it has finished. It saves questions whose answer is known;
 * whether it is an entry's turn is decided by the journal, which also knows the entries of others.
 * Used by one thread.
 */
final class EffectTurns {
  /** Given up is finished, as a dead letter is: those behind it go on. */
  private static final Set<Settlement.Result> FINISHED =
      Set.of(Settlement.Result.DONE, Settlement.Result.REJECTED, Settlement.Result.FAILED);

  private final Map<Long, Deque<JournalEntry>> waiting = new HashMap<>();
  private List<JournalEntry> round = new ArrayList<>();
  private boolean freed;

  EffectTurns(List<JournalEntry> entries) {
    List<JournalEntry> queued = new ArrayList<>();
    for (JournalEntry entry : entries) {
      (entry.turn() == null ? round : queued).add(entry);
    }
    queued.sort(Comparator.comparingLong(EffectTurns::place));
    for (JournalEntry entry : queued) {
      Deque<JournalEntry> behind = waiting.get(queue(entry));
      if (behind == null) {
        waiting.put(queue(entry), new ArrayDeque<>());
        round.add(entry);
      } else {
        behind.add(entry);
      }
    }
  }

  /** Those whose turn has come since the last round; none when there is nothing more to run. */
  List<JournalEntry> nextRound() {
    List<JournalEntry> next = round;
    round = new ArrayList<>();
    return next;
  }

  /** Entries of the last round ended. */
  void ended(List<Settlement> settlements) {
    for (Settlement settlement : settlements) {
      JournalEntry entry = settlement.entry();
      if (entry.turn() != null && FINISHED.contains(settlement.result())) {
        freed = true;
        JournalEntry next = waiting.getOrDefault(queue(entry), new ArrayDeque<>()).poll();
        if (next != null) {
          round.add(next);
        }
      }
    }
  }

  /** Whether an entry with a turn has finished: one behind it may be due, here or elsewhere. */
  boolean freed() {
    return freed;
  }

  /** Those that no round came to, since one before them did not finish. */
  List<JournalEntry> heldUp() {
    return waiting.values().stream().flatMap(Deque::stream).toList();
  }

  private static long queue(JournalEntry entry) {
    return turn(entry).queue();
  }

  private static long place(JournalEntry entry) {
    return turn(entry).place();
  }

  private static Turn turn(JournalEntry entry) {
    Turn turn = entry.turn();
    if (turn == null) {
      throw new IllegalStateException("Effect " + entry.key() + " has no turn");
    }
    return turn;
  }
}
