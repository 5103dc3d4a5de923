package io.idembox.inbox.bench;

import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import io.idembox.inbox.ProgressGrowth;
import io.idembox.inbox.PrunePolicy;
import io.idembox.inbox.PruneReport;
import io.idembox.inbox.Pruner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Pruning a tenth of a large table while claims run, and a table under insert and prune at a
 * constant rate.
 */
final class PruneFigures {
  private static final int BATCH = 100;
  private static final PrunePolicy POLICY = PrunePolicy.DEFAULT.withRoundInterval(Duration.ZERO);

  /** As the runtime does: the pruner works a quarter of the time. */
  private static final int PAUSE_FACTOR = 3;

  private final FigureDatabase database;
  private final InboxPartition partition;
  private final AtomicBoolean stop = new AtomicBoolean();
  private long offset = 1_000_000_000L;

  PruneFigures(FigureDatabase database) {
    this.database = database;
    this.partition = new InboxPartition(database.topic, 0);
  }

  void measure(int rows, int old, Map<String, Double> figures) throws Exception {
    fill(rows, old);
    Pruner pruner = database.inbox.pruner(POLICY);
    walk(pruner, false);
    long[] undisturbed = claims(2_000);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      long start = System.nanoTime();
      Future<Integer> pruning = thread.submit(() -> walk(pruner, true));
      List<Long> disturbed = new ArrayList<>();
      while (!pruning.isDone()) {
        disturbed.add(claim());
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      long[] during = disturbed.stream().mapToLong(Long::longValue).toArray();
      long[] after = claims(2_000);
      long[] apart = new long[undisturbed.length + after.length];
      System.arraycopy(undisturbed, 0, apart, 0, undisturbed.length);
      System.arraycopy(after, 0, apart, undisturbed.length, after.length);
      figures.put("prune.rowsInTable", (double) rows);
      figures.put("prune.rowsPruned", (double) pruning.get());
      figures.put("prune.seconds", seconds);
      figures.put("prune.claims", (double) during.length);
      figures.put("prune.claimP50MillisUndisturbed", Stats.median(apart) / 1e6);
      figures.put("prune.claimP50Millis", Stats.median(during) / 1e6);
      figures.put("prune.claimP99MillisUndisturbed", Stats.quantile(apart, 0.99) / 1e6);
      figures.put("prune.claimP99Millis", Stats.quantile(during, 0.99) / 1e6);
      figures.put(
          "prune.claimP99Ratio", Stats.quantile(during, 0.99) / Stats.quantile(apart, 0.99));
    } finally {
      thread.shutdown();
    }
  }

  /** As many rows come as go, twelve times; the first two fill the table up to its level. */
  void cycles(String kind, int rowsPerCycle, Map<String, Double> figures) throws Exception {
    database.execute("truncate idembox.inbox, idembox.progress, idembox.pruning");
    offset = 0;
    double[] heap = new double[12];
    double[] index = new double[12];
    for (int cycle = 0; cycle < heap.length; cycle++) {
      long from = offset;
      for (int i = 0; i < rowsPerCycle; i += 500) {
        List<InboxClaim> claims =
            kind.equals("ordered")
                ? database.orderedClaims(offset, 500)
                : database.randomClaims(offset, 500);
        offset += 500;
        database.inbox.run(claims, b -> {});
      }
      done(from, offset);
      // As if everything had been read long after: what was done a walk earlier may go.
      database.execute(
          "update idembox.progress set read_until = clock_timestamp() + interval '15 days'");
      walk(database.inbox.pruner(POLICY), false);
      database.execute("vacuum idembox.inbox");
      heap[cycle] = database.number("select pg_relation_size('idembox.inbox')") / 1e6;
      index[cycle] = database.number("select pg_relation_size('idembox.inbox_pkey')") / 1e6;
    }
    figures.put("cycles." + kind + ".heapMegabytesAtTwo", highest(heap, 1, 3));
    figures.put("cycles." + kind + ".heapMegabytesAtTwelve", highest(heap, 10, 12));
    figures.put("cycles." + kind + ".heapGrowth", highest(heap, 10, 12) / highest(heap, 1, 3));
    figures.put("cycles." + kind + ".indexGrowth", highest(index, 10, 12) / highest(index, 1, 3));
    figures.put("cycles." + kind + ".indexGrowthOfTheLastCycle", index[11] / index[10]);
  }

  private static double highest(double[] values, int from, int to) {
    double highest = 0;
    for (int i = from; i < to; i++) {
      highest = Math.max(highest, values[i]);
    }
    return highest;
  }

  private void fill(int rows, int old) throws Exception {
    database.execute(
        "insert into idembox.inbox (consumer_id, message_id, topic_id, partition, \"offset\", recorded_at)"
            + " select "
            + database.consumer.id()
            + ", gen_random_uuid(), "
            + database.topic
            + ", 0, n, case when n < "
            + old
            + " then now() - interval '15 days' else now() end from generate_series(0, "
            + (rows - 1)
            + ") n");
    database.execute("vacuum analyze idembox.inbox");
    database.execute("checkpoint");
    done(0, rows);
  }

  private void done(long from, long to) {
    PartitionProgress known = database.inbox.progress().read(List.of(partition)).get(0);
    database
        .inbox
        .progress()
        .grow(
            List.of(
                new ProgressGrowth(
                    partition,
                    OffsetRanges.of(from, to),
                    OffsetRanges.EMPTY,
                    OffsetRanges.EMPTY,
                    known.generation(),
                    known.leaderEpoch(),
                    known.serverTimeline(),
                    known.databaseTime())));
  }

  private int walk(Pruner pruner, boolean gently) {
    int rows = 0;
    while (!stop.get()) {
      long start = System.nanoTime();
      PruneReport slice = pruner.slice(List.of(partition));
      rows += slice.inboxRows();
      if (slice.roundFinished()) {
        return rows;
      }
      if (gently) {
        LockSupport.parkNanos((System.nanoTime() - start) * PAUSE_FACTOR);
      }
    }
    return rows;
  }

  private long[] claims(int count) throws Exception {
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      nanos[i] = claim();
    }
    return nanos;
  }

  private long claim() throws Exception {
    List<InboxClaim> claims = database.randomClaims(offset, BATCH);
    offset += BATCH;
    long start = System.nanoTime();
    database.inbox.run(claims, b -> {});
    return System.nanoTime() - start;
  }
}
