package io.idembox.runtime;

import static java.util.Objects.requireNonNull;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.PartitionProgress;
import io.idembox.runtime.HeldPartition.Resume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the partitions' progress again now and then, whether there is work or not: a database that
 * was set back must be noticed by an idle member, too. Then looks how far the logs reach, so that
 * the database learns up to which time the partitions were read. Used by the poll thread alone.
 */
final class HistoryWatch {
  private static final Logger log = LoggerFactory.getLogger(HistoryWatch.class);

  private final AsyncProgress progress;
  private final LogEnds ends;
  private final Runnable heartbeat;
  private final Duration interval;
  private final CommitRound.Restarts restarts;
  private @Nullable Look look;
  private long nextLook = System.nanoTime();

  /** How far the logs reach at this moment, records of open transactions included. */
  @FunctionalInterface
  interface LogEnds {
    CompletableFuture<Map<TopicPartition, Long>> ask(Collection<TopicPartition> partitions);
  }

  /** A partition in the epoch that it had, and what the database had confirmed then. */
  private record Seen(HeldPartition held, PartitionWork work, long storedUpTo) {}

  private record Look(
      List<Seen> partitions,
      CompletableFuture<List<PartitionProgress>> answer,
      CompletableFuture<Map<TopicPartition, Long>> ends) {}

  HistoryWatch(
      AsyncProgress progress,
      LogEnds ends,
      Runnable heartbeat,
      Duration interval,
      CommitRound.Restarts restarts) {
    this.progress = progress;
    this.ends = ends;
    this.heartbeat = heartbeat;
    this.interval = interval;
    this.restarts = restarts;
  }

  /** One step; waits for nobody. */
  void advance(Collection<HeldPartition> all) {
    if (look != null && look.ends().isDone()) {
      take(look);
      look = null;
    }
    if (look == null && System.nanoTime() - nextLook >= 0) {
      nextLook = System.nanoTime() + interval.toNanos();
      look = begin(all);
    }
  }

  private @Nullable Look begin(Collection<HeldPartition> all) {
    CompletableFuture<?> unused = progress.run(heartbeat);
    List<Seen> seen = new ArrayList<>();
    List<InboxPartition> rows = new ArrayList<>();
    Set<TopicPartition> partitions = new HashSet<>();
    for (HeldPartition held : all) {
      if (held.isReading() && held.isTracked()) {
        seen.add(new Seen(held, held.work(), held.storedUpTo()));
        rows.add(held.progress().partition());
        partitions.add(held.partition());
      }
    }
    if (seen.isEmpty()) {
      return null;
    }
    CompletableFuture<List<PartitionProgress>> answer = progress.read(rows);
    // The logs are asked after the database has told its time: what came before that time lies
    // below the ends.
    return new Look(seen, answer, answer.thenCompose(read -> ends.ask(partitions)));
  }

  private void take(Look look) {
    try {
      List<PartitionProgress> answers = look.answer().join();
      for (int i = 0; i < answers.size(); i++) {
        Seen seen = look.partitions().get(i);
        if (seen.held().work() == seen.work() && seen.held().isReading()) {
          compare(seen, answers.get(i));
        }
      }
      Map<TopicPartition, Long> reach = look.ends().join();
      for (int i = 0; i < answers.size(); i++) {
        Seen seen = look.partitions().get(i);
        Long end = reach.get(seen.held().partition());
        if (end != null && seen.held().work() == seen.work()) {
          seen.held().endSeen(end, answers.get(i).databaseTime());
          seen.work().unstable(behindLastStable(seen.work(), end));
        }
      }
    } catch (CompletionException e) {
      // Whoever needs the database or Kafka says so; here the next look comes soon enough.
      log.debug("Progress cannot be looked at: {}", Causes.summary(requireNonNull(e.getCause())));
    }
  }

  /** Only read_committed's own lag is known to the client; it ends at the last stable offset. */
  private static long behindLastStable(PartitionWork work, long end) {
    OptionalLong lag = work.status().lagRecords();
    return lag.isEmpty() ? 0 : Math.max(0, end - work.offsets().position() - lag.getAsLong());
  }

  private void compare(Seen seen, PartitionProgress now) {
    HeldPartition held = seen.held();
    PartitionProgress known = held.progress();
    if (now.generation() != known.generation()) {
      restart(held, "done ranges were forgotten on purpose meanwhile", true);
    } else if (now.serverTimeline() != known.serverTimeline()) {
      restart(held, "another database server took over, and may have lost commits", false);
    } else if (!held.isCoveredBy(now, seen.storedUpTo())) {
      restart(
          held,
          "the database no longer knows offset "
              + now.settled().firstGapFrom(held.floor())
              + " to be done: it was set back",
          false);
    }
  }

  private void restart(HeldPartition held, String reason, boolean behindCut) {
    restarts.restart(
        held, new Resume(reason, held.floor(), held.storedUpTo(), behindCut, OptionalLong.empty()));
  }
}
