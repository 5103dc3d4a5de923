package io.idembox.runtime;

import io.idembox.inbox.GrowthResult;
import io.idembox.inbox.GrowthResult.Stale;
import io.idembox.inbox.PartitionProgress;
import io.idembox.inbox.ProgressGrowth;
import io.idembox.runtime.HeldPartition.Resume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was finished at one moment, on its way into the database and then to Kafka. The database
 * hears of it first: a crash in between costs a second look, never a record.
 */
final class CommitRound {
  private static final Logger log = LoggerFactory.getLogger(CommitRound.class);

  private final List<Part> parts;
  private final List<Part> grown;
  private final CompletableFuture<List<GrowthResult>> growth;
  private final CompletableFuture<Map<String, UUID>> sighting;

  /** Whom to ask. */
  record Sources(AsyncProgress progress, TopicSightings topics) {}

  /** Ends the epoch of a partition, whose beliefs turned out wrong. */
  @FunctionalInterface
  interface Restarts {
    void restart(HeldPartition held, Resume why);
  }

  /** One partition, in the epoch that it had when the round began. */
  private record Part(HeldPartition held, PartitionWork work, FinishedOffsets.Finished finished) {
    boolean isCurrent() {
      return held.work() == work;
    }
  }

  private CommitRound(
      List<Part> parts,
      List<Part> grown,
      CompletableFuture<List<GrowthResult>> growth,
      CompletableFuture<Map<String, UUID>> sighting) {
    this.parts = parts;
    this.grown = grown;
    this.growth = growth;
    this.sighting = sighting;
  }

  /** Begins a round over the partitions that have something new; null if none has. */
  static @Nullable CommitRound begin(Collection<HeldPartition> all, Sources sources) {
    List<Part> parts = new ArrayList<>();
    List<Part> grown = new ArrayList<>();
    List<ProgressGrowth> growths = new ArrayList<>();
    Set<String> topics = new HashSet<>();
    for (HeldPartition held : all) {
      PartitionWork work = held.work();
      FinishedOffsets.Finished finished = work.offsets().snapshot().orElse(null);
      if (finished == null || !held.isReading() || !hasNews(held, finished)) {
        continue;
      }
      Part part = new Part(held, work, finished);
      parts.add(part);
      topics.add(held.partition().topic());
      if (held.isTracked()) {
        grown.add(part);
        growths.add(growth(held, finished));
      }
    }
    // The ids are asked for after the offsets were taken, so they are seen later than the polls.
    return parts.isEmpty()
        ? null
        : new CommitRound(
            parts, grown, sources.progress().grow(growths), sources.topics().ask(topics));
  }

  private static boolean hasNews(HeldPartition held, FinishedOffsets.Finished finished) {
    return finished.next().offset() > held.committed()
        || !finished.done().isEmpty()
        || !finished.lost().isEmpty()
        || !held.pendingSkipped().isEmpty()
        || !held.pendingLost().isEmpty()
        || held.readUntil(finished.next().offset()) != null;
  }

  private static ProgressGrowth growth(HeldPartition held, FinishedOffsets.Finished finished) {
    PartitionProgress known = held.progress();
    return new ProgressGrowth(
        known.partition(),
        finished.done(),
        held.pendingLost().plus(finished.lost()),
        held.pendingSkipped(),
        known.generation(),
        known.leaderEpoch(),
        // As it was when this epoch began, before any of its transactions.
        known.serverTimeline(),
        held.readUntil(finished.next().offset()));
  }

  boolean isAnswered() {
    return growth.isDone() && sighting.isDone();
  }

  void await(Duration limit) throws InterruptedException, TimeoutException {
    try {
      CompletableFuture.allOf(growth, sighting).get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      log.debug("A commit round failed, which is found again when it is looked at", e);
    }
  }

  /**
   * What may be committed to Kafka now.
   *
   * @throws CompletionException if the database or Kafka did not answer; nothing may be committed
   */
  Map<TopicPartition, OffsetAndMetadata> offsets(UUID installation, Restarts restarts) {
    List<GrowthResult> results = growth.join();
    Map<String, UUID> ids = sighting.join();
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (Part part : parts) {
      int at = grown.indexOf(part);
      if (part.isCurrent()
          && isSameTopic(part, ids, restarts)
          && (at < 0 || isStored(part, results.get(at), restarts))) {
        part.held().moves();
        OffsetAndMetadata next = part.finished().next();
        if (next.offset() > part.held().committed()) {
          offsets.put(part.held().partition(), part.held().withMetadata(next, installation));
        }
      }
    }
    return offsets;
  }

  private static boolean isSameTopic(Part part, Map<String, UUID> ids, Restarts restarts) {
    HeldPartition held = part.held();
    UUID id = ids.get(held.partition().topic());
    if (id == null) {
      held.stalled(
          Stall.Reason.TOPIC_MISSING,
          held.partition() + ": Kafka has no such topic; its offsets are not committed");
      return false;
    }
    if (id.equals(held.topicId())) {
      return true;
    }
    restarts.restart(
        held, resume(held, "the topic was made again under the same name (id " + id + ")", false));
    return false;
  }

  private static boolean isStored(Part part, GrowthResult result, Restarts restarts) {
    HeldPartition held = part.held();
    if (result instanceof Stale stale) {
      boolean forgotten = stale.reason() == Stale.Reason.GENERATION;
      restarts.restart(held, resume(held, reason(stale), forgotten));
      return false;
    }
    held.stored(result.progress(), part.finished());
    if (held.isCoveredBy(result.progress(), part.finished().next().offset())) {
      return true;
    }
    restarts.restart(
        held,
        resume(
            held,
            "the database no longer knows offset "
                + result.progress().settled().firstGapFrom(held.floor())
                + " to be done: it was set back",
            false));
    return false;
  }

  private static String reason(Stale stale) {
    return switch (stale.reason()) {
      case GENERATION -> "done ranges were forgotten on purpose meanwhile";
      case LEADER_EPOCH -> "another member has seen a newer leader of the partition";
      case TIMELINE -> "another database server took over, and may have lost commits";
    };
  }

  private static Resume resume(HeldPartition held, String reason, boolean behindCut) {
    return new Resume(reason, held.floor(), held.storedUpTo(), behindCut, OptionalLong.empty());
  }

  /** Kafka has taken the offsets. */
  void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
    for (Part part : parts) {
      OffsetAndMetadata next = offsets.get(part.held().partition());
      if (next != null && part.isCurrent()) {
        part.held().committed(next.offset());
      }
    }
  }

  void stalled(String why) {
    for (Part part : parts) {
      if (part.isCurrent()) {
        part.held().stalled(Stall.Reason.NOT_COMMITTED, part.held().partition() + ": " + why);
      }
    }
  }
}
