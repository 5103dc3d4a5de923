package io.idembox.inbox.bench;

import io.idembox.inbox.InboxClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Batches of 500: all known, all new. Both contenders in turns, so that a busy machine hits both;
 * medians.
 */
final class BatchFigures {
  private static final int BATCH = 500;
  private static final int WARM_UP = 60;

  private final FigureDatabase database;
  private final ByHand byHand;

  BatchFigures(FigureDatabase database) {
    this.database = database;
    this.byHand = new ByHand(database);
  }

  void measure(int rounds, Map<String, Double> figures) throws Exception {
    duplicates(rounds, figures);
    firstPass(rounds, figures);
  }

  private void duplicates(int rounds, Map<String, Double> figures) throws Exception {
    List<List<InboxClaim>> batches = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      List<InboxClaim> claims = database.randomClaims((long) i * BATCH, BATCH);
      batches.add(claims);
      database.inbox.run(claims, b -> {});
    }
    database.execute("vacuum analyze idembox.inbox");
    long[] bare = new long[rounds];
    long[] ours = new long[rounds];
    for (int round = -WARM_UP; round < rounds; round++) {
      // Each claims ids that the other has not just pulled into the processor's caches.
      List<InboxClaim> one = batches.get(Math.floorMod(2 * round, batches.size()));
      List<InboxClaim> two = batches.get(Math.floorMod(2 * round + 1, batches.size()));
      long start = System.nanoTime();
      int fresh = byHand.claim(one);
      long middle = System.nanoTime();
      fresh += database.inbox.run(two, b -> {}).fresh().cardinality();
      long end = System.nanoTime();
      if (fresh != 0) {
        throw new IllegalStateException("A duplicate was fresh");
      }
      if (round >= 0) {
        bare[round] = middle - start;
        ours[round] = end - middle;
      }
    }
    String before = database.text("select pg_current_wal_insert_lsn()::text");
    for (List<InboxClaim> claims : batches) {
      database.inbox.run(claims, b -> {});
    }
    double wal = database.number("select pg_current_wal_insert_lsn() - '" + before + "'::pg_lsn");
    figures.put("duplicates.bareStatementPerSecond", Stats.perSecond(BATCH, bare));
    figures.put("duplicates.idemboxPerSecond", Stats.perSecond(BATCH, ours));
    figures.put("duplicates.ratio", Stats.median(bare) / Stats.median(ours));
    figures.put("duplicates.walBytesPerBatch", wal / batches.size());
  }

  private void firstPass(int rounds, Map<String, Double> figures) throws Exception {
    long[] hand = new long[rounds];
    long[] ours = new long[rounds];
    for (int round = -WARM_UP; round < rounds; round++) {
      List<InboxClaim> one = database.randomClaims(10_000_000 + 1_000L * round, BATCH);
      List<InboxClaim> two = database.randomClaims(10_000_500 + 1_000L * round, BATCH);
      long start = System.nanoTime();
      byHand.claimAndWrite(one);
      long middle = System.nanoTime();
      database.inbox.run(
          two,
          b -> {
            for (int index : b.fresh()) {
              b.begin(index).enqueue(ByHand.LEDGER, "order-" + two.get(index).offset(), index);
            }
          });
      long end = System.nanoTime();
      if (round >= 0) {
        hand[round] = middle - start;
        ours[round] = end - middle;
      }
    }
    figures.put("firstPass.byHandPerSecond", Stats.perSecond(BATCH, hand));
    figures.put("firstPass.idemboxPerSecond", Stats.perSecond(BATCH, ours));
    figures.put("firstPass.ratio", Stats.median(hand) / Stats.median(ours));
  }
}
