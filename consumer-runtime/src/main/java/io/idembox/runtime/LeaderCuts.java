package io.idembox.runtime;

import static java.util.Objects.requireNonNull;

import io.idembox.inbox.PartitionProgress;
import io.idembox.runtime.HeldPartition.Resume;
import io.idembox.runtime.HeldPartition.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the database of new leaders. The first record that a new leader wrote waits, with all
 * behind it, until what was done from its offset on counts no more: a leader that had less of the
 * log than the one before gives offsets a second time. Used by the poll thread alone.
 */
final class LeaderCuts {
  private static final Logger log = LoggerFactory.getLogger(LeaderCuts.class);
  private static final Backoff AGAIN = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

  private final AsyncProgress progress;
  private final CommitRound.Restarts restarts;
  private final List<Cut> underWay = new ArrayList<>();

  private record Cut(
      HeldPartition held,
      PartitionWork work,
      long from,
      int leaderEpoch,
      CompletableFuture<PartitionProgress> answer,
      int failures,
      long notBefore) {}

  LeaderCuts(AsyncProgress progress, CommitRound.Restarts restarts) {
    this.progress = progress;
    this.restarts = restarts;
  }

  void begin(HeldPartition held, long from, int leaderEpoch) {
    held.cutting();
    underWay.add(cut(held, from, leaderEpoch, 0, 0));
  }

  private Cut cut(HeldPartition held, long from, int leaderEpoch, int failures, long notBefore) {
    return new Cut(
        held,
        held.work(),
        from,
        leaderEpoch,
        progress.cut(held.progress(), from, leaderEpoch),
        failures,
        notBefore);
  }

  /** One step: looks at the answers. */
  void advance() {
    for (Cut cut : List.copyOf(underWay)) {
      if (cut.answer().isDone() && System.nanoTime() - cut.notBefore() >= 0) {
        underWay.remove(cut);
        if (cut.held().work() == cut.work() && cut.held().stage() == Stage.CUTTING) {
          take(cut);
        }
      }
    }
  }

  private void take(Cut cut) {
    HeldPartition held = cut.held();
    try {
      PartitionProgress now = cut.answer().join();
      // Another timeline: what this epoch has finished so far may be lost, and must not be stored
      // under the new one.
      if (now.generation() == held.progress().generation()
          && now.serverTimeline() == held.progress().serverTimeline()
          && now.leaderEpoch() >= cut.leaderEpoch()) {
        held.cut(now);
        held.moves();
      } else {
        restarts.restart(
            held,
            new Resume(
                "its progress was changed by another member, or another database server took over",
                held.floor(),
                held.storedUpTo(),
                now.generation() != held.progress().generation(),
                OptionalLong.empty()));
      }
    } catch (CompletionException e) {
      again(cut, requireNonNull(e.getCause()));
    }
  }

  private void again(Cut cut, Throwable failure) {
    HeldPartition held = cut.held();
    if (cut.failures() == 0) {
      log.warn(
          "{}: the database cannot be told of the partition's new leader, and its records wait: {}",
          held.partition(),
          Causes.summary(failure));
    }
    held.stalled(Stall.Reason.OPENING, held.partition() + ": " + Causes.summary(failure));
    int failures = cut.failures() + 1;
    underWay.add(
        cut(
            held,
            cut.from(),
            cut.leaderEpoch(),
            failures,
            System.nanoTime() + AGAIN.after(failures).toNanos()));
  }
}
