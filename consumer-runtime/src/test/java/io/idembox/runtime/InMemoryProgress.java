package io.idembox.runtime;

import io.idembox.inbox.GrowthResult;
import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import io.idembox.inbox.Progress;
import io.idembox.inbox.ProgressGrowth;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Progress as the database keeps it, for tests of the loop that need no database. */
final class InMemoryProgress implements Progress {
  private final Map<InboxPartition, PartitionProgress> rows = new ConcurrentHashMap<>();
  final Map<InboxPartition, Instant> readUntil = new ConcurrentHashMap<>();
  private volatile @Nullable RuntimeException failure;
  private volatile @Nullable Runnable beforeCut;

  /** From now on each call fails, until it is given null. */
  void failWith(@Nullable RuntimeException failure) {
    this.failure = failure;
  }

  /** What another member does just before the next cut. */
  void beforeNextCut(Runnable another) {
    this.beforeCut = another;
  }

  PartitionProgress of(InboxPartition partition) {
    return rows.computeIfAbsent(
        partition,
        p ->
            new PartitionProgress(
                p,
                OffsetRanges.EMPTY,
                OffsetRanges.EMPTY,
                OffsetRanges.EMPTY,
                0,
                -1,
                0,
                1,
                null,
                null,
                Instant.EPOCH));
  }

  void change(InboxPartition partition, UnaryOperator<PartitionProgress> change) {
    rows.put(partition, change.apply(of(partition)));
  }

  void done(InboxPartition partition, long from, long to, int leaderEpoch) {
    change(
        partition,
        p ->
            with(p, OffsetRanges.of(from, to), p.lost(), p.skipped(), 0, leaderEpoch, 1, p.open()));
  }

  static PartitionProgress with(
      PartitionProgress before,
      OffsetRanges done,
      OffsetRanges lost,
      OffsetRanges skipped,
      int generation,
      int leaderEpoch,
      int serverTimeline,
      @Nullable UUID open) {
    return new PartitionProgress(
        before.partition(),
        done,
        lost,
        skipped,
        generation,
        leaderEpoch,
        before.timeline(),
        serverTimeline,
        before.readUntil(),
        open,
        Instant.EPOCH);
  }

  private void check() {
    RuntimeException now = failure;
    if (now != null) {
      throw now;
    }
  }

  @Override
  public synchronized List<PartitionProgress> read(List<InboxPartition> partitions) {
    check();
    return partitions.stream().map(this::of).toList();
  }

  @Override
  public synchronized List<PartitionProgress> open(List<InboxPartition> partitions, UUID token) {
    List<PartitionProgress> before = read(partitions);
    partitions.forEach(p -> change(p, row -> opened(row, token)));
    return before;
  }

  private static PartitionProgress opened(PartitionProgress row, @Nullable UUID token) {
    return with(
        row,
        row.done(),
        row.lost(),
        row.skipped(),
        row.generation(),
        row.leaderEpoch(),
        row.serverTimeline(),
        token);
  }

  @Override
  public synchronized void release(Collection<InboxPartition> partitions, UUID token) {
    check();
    for (InboxPartition partition : partitions) {
      change(partition, row -> token.equals(row.open()) ? opened(row, null) : row);
    }
  }

  @Override
  public synchronized List<GrowthResult> grow(List<ProgressGrowth> growths) {
    check();
    List<GrowthResult> results = new ArrayList<>();
    for (ProgressGrowth growth : growths) {
      PartitionProgress row = of(growth.partition());
      if (growth.generation() != row.generation()) {
        results.add(new GrowthResult.Stale(row, GrowthResult.Stale.Reason.GENERATION));
      } else if (growth.leaderEpoch() != row.leaderEpoch()) {
        results.add(new GrowthResult.Stale(row, GrowthResult.Stale.Reason.LEADER_EPOCH));
      } else if (growth.timeline() != row.serverTimeline()) {
        results.add(new GrowthResult.Stale(row, GrowthResult.Stale.Reason.TIMELINE));
      } else {
        change(
            growth.partition(),
            p ->
                with(
                    p,
                    p.done().plus(growth.done()),
                    p.lost().plus(growth.lost()),
                    p.skipped().plus(growth.skipped()),
                    p.generation(),
                    p.leaderEpoch(),
                    p.serverTimeline(),
                    p.open()));
        if (growth.readUntil() != null) {
          readUntil.put(growth.partition(), growth.readUntil());
        }
        results.add(new GrowthResult.Grown(of(growth.partition())));
      }
    }
    return results;
  }

  @Override
  public synchronized PartitionProgress cut(
      PartitionProgress known, long fromOffset, int leaderEpoch) {
    check();
    Runnable another = beforeCut;
    if (another != null) {
      beforeCut = null;
      another.run();
    }
    change(
        known.partition(),
        p ->
            p.generation() == known.generation()
                    && p.leaderEpoch() == known.leaderEpoch()
                    && p.leaderEpoch() < leaderEpoch
                ? with(
                    p,
                    p.done().minus(OffsetRanges.of(fromOffset, Long.MAX_VALUE)),
                    p.lost(),
                    p.skipped(),
                    p.generation(),
                    leaderEpoch,
                    p.serverTimeline(),
                    p.open())
                : p);
    return of(known.partition());
  }

  @Override
  public long forget(InboxPartition partition, OffsetRanges offsets) {
    change(
        partition,
        p ->
            with(
                p,
                p.done().minus(offsets),
                p.lost(),
                p.skipped(),
                p.generation() + 1,
                p.leaderEpoch(),
                p.serverTimeline(),
                p.open()));
    return offsets.count();
  }
}
