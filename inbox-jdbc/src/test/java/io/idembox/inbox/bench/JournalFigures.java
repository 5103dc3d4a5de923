package io.idembox.inbox.bench;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.InboxRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * First pass with one enqueued insert and one intent each, written and settled, beside the same
 * without.
 */
final class JournalFigures {
  private static final int BATCH = 500;
  private static final int WARM_UP = 40;

  /** Performed by nobody here: the figure is the journal's. */
  static final class Mail implements Effect<String, String> {
    static final EffectName<String, String> NAME =
        EffectName.of("mail", String.class, String.class);

    @Override
    public EffectName<String, String> name() {
      return NAME;
    }

    @Override
    public @Nullable String perform(String request, EffectAttempt attempt) {
      return "sent";
    }
  }

  private final FigureDatabase database;

  JournalFigures(FigureDatabase database) {
    this.database = database;
  }

  void measure(int rounds, Map<String, Double> figures) throws Exception {
    long[] without = new long[rounds];
    long[] with = new long[rounds];
    long[] settling = new long[rounds];
    for (int round = -WARM_UP; round < rounds; round++) {
      List<InboxClaim> one = database.randomClaims(50_000_000 + 1_000L * round, BATCH);
      List<InboxClaim> two = database.randomClaims(50_000_500 + 1_000L * round, BATCH);
      long start = System.nanoTime();
      run(one, false);
      long second = System.nanoTime();
      InboxRun run = run(two, true);
      long third = System.nanoTime();
      List<Settlement> done = new ArrayList<>(BATCH);
      for (JournalEntry entry : run.intents()) {
        done.add(Settlement.done(entry, new byte[60]));
      }
      if (database.inbox.journal().settle(done) != BATCH) {
        throw new IllegalStateException("Not all were settled");
      }
      long end = System.nanoTime();
      if (round >= 0) {
        without[round] = second - start;
        with[round] = end - second;
        settling[round] = end - third;
      }
    }
    figures.put("journal.withoutIntentsPerSecond", Stats.perSecond(BATCH, without));
    figures.put("journal.withOneIntentEachPerSecond", Stats.perSecond(BATCH, with));
    figures.put("journal.ratio", Stats.median(without) / Stats.median(with));
    figures.put("journal.settledPerSecond", Stats.perSecond(BATCH, settling));
  }

  private InboxRun run(List<InboxClaim> claims, boolean intents) throws Exception {
    return database.inbox.run(
        claims,
        b -> {
          for (int index : b.fresh()) {
            var tx = b.begin(index);
            long order = claims.get(index).offset();
            tx.enqueue(ByHand.LEDGER, "order-" + order, index);
            if (intents) {
              tx.effects()
                  .afterCommit(Mail.NAME, EffectKey.of("mail.invoice").id(order), "to: x@y.z");
            }
          }
        });
  }
}
