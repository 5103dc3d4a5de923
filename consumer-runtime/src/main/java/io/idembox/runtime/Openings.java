package io.idembox.runtime;

import static java.util.Objects.requireNonNull;

import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import io.idembox.runtime.HeldPartition.Resume;
import io.idembox.runtime.HeldPartition.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes assigned partitions to where they are read: which topic stands behind the name, what of it
 * is done, and where to start. A partition stays paused until then, however long the database or
 * Kafka takes. Used by the poll thread alone.
 */
final class Openings {
  private static final Logger log = LoggerFactory.getLogger(Openings.class);
  private static final Duration KAFKA_LIMIT = Duration.ofSeconds(5);
  private static final Backoff AGAIN = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

  private final Consumer<?, ?> consumer;
  private final TopicSightings topics;
  private final AsyncProgress progress;
  private final StartRules rules;
  private final ConsumerMetrics metrics;
  private @Nullable Asked asked;
  private int failures;
  private long nextAsk = System.nanoTime();

  /** What is being asked about partitions, each in the epoch that it had then. */
  private record Asked(
      List<Epoch> epochs, CompletableFuture<Map<TopicPartition, AsyncProgress.Opened>> answer) {}

  private record Epoch(HeldPartition held, PartitionWork work) {}

  Openings(
      Consumer<?, ?> consumer,
      TopicSightings topics,
      AsyncProgress progress,
      StartRules rules,
      ConsumerMetrics metrics) {
    this.consumer = consumer;
    this.topics = topics;
    this.progress = progress;
    this.rules = rules;
    this.metrics = metrics;
  }

  /** One step for all partitions that are not read yet. */
  void advance(Collection<HeldPartition> all) {
    if (asked == null && System.nanoTime() - nextAsk >= 0) {
      ask(at(Stage.NEW, all));
    }
    if (asked != null && asked.answer().isDone()) {
      take(asked);
      asked = null;
    }
    place(at(Stage.OPENED, all));
  }

  private static List<HeldPartition> at(Stage stage, Collection<HeldPartition> all) {
    return all.stream().filter(held -> held.stage() == stage).toList();
  }

  private void ask(List<HeldPartition> fresh) {
    if (fresh.isEmpty()) {
      return;
    }
    List<Epoch> epochs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (HeldPartition held : fresh) {
      held.opening();
      epochs.add(new Epoch(held, held.work()));
      names.add(held.partition().topic());
    }
    // What the poll thread knows is taken now: the answers come on other threads.
    List<AsyncProgress.Request> known = fresh.stream().map(Openings::request).toList();
    asked =
        new Asked(epochs, topics.ask(names).thenCompose(ids -> progress.open(with(ids, known))));
  }

  private static AsyncProgress.Request request(HeldPartition held) {
    return new AsyncProgress.Request(
        held.partition(),
        held.topicId(),
        held.resume().map(Resume::cutFrom).orElse(OptionalLong.empty()));
  }

  /** Those whose topic is there, under the id that it has now. */
  private static List<AsyncProgress.Request> with(
      Map<String, UUID> ids, List<AsyncProgress.Request> known) {
    List<AsyncProgress.Request> requests = new ArrayList<>();
    for (AsyncProgress.Request request : known) {
      UUID id = ids.get(request.partition().topic());
      if (id != null) {
        // What was cut was another topic's log, if the topic was made again.
        OptionalLong cut = id.equals(request.topicId()) ? request.cutFrom() : OptionalLong.empty();
        requests.add(new AsyncProgress.Request(request.partition(), id, cut));
      }
    }
    return requests;
  }

  private void take(Asked asked) {
    Map<TopicPartition, AsyncProgress.Opened> opened = Map.of();
    @Nullable String failure = null;
    try {
      opened = asked.answer().join();
      failures = 0;
    } catch (CompletionException e) {
      failure = Causes.summary(requireNonNull(e.getCause()));
    }
    for (Epoch epoch : asked.epochs()) {
      HeldPartition held = epoch.held();
      AsyncProgress.Opened answer = opened.get(held.partition());
      if (held.work() != epoch.work()) {
        continue;
      }
      if (answer != null) {
        held.opened(answer);
      } else {
        held.notOpened();
        report(held, failure);
      }
    }
    if (opened.size() < asked.epochs().size()) {
      nextAsk = System.nanoTime() + AGAIN.after(++failures).toNanos();
    }
  }

  private static void report(HeldPartition held, @Nullable String failure) {
    Stall before = held.work().outerStall();
    if (failure == null) {
      held.stalled(Stall.Reason.TOPIC_MISSING, held.partition() + ": Kafka has no such topic");
    } else {
      held.stalled(Stall.Reason.OPENING, held.partition() + ": " + failure);
    }
    if (before == null) {
      log.warn(
          "{} is assigned but cannot be opened yet: {}",
          held.partition(),
          failure == null ? "Kafka has no such topic" : failure);
    }
  }

  private void place(List<HeldPartition> opened) {
    if (opened.isEmpty()) {
      return;
    }
    Set<TopicPartition> partitions = new HashSet<>();
    opened.forEach(held -> partitions.add(held.partition()));
    Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(partitions, KAFKA_LIMIT);
    Map<TopicPartition, Long> begin = consumer.beginningOffsets(partitions, KAFKA_LIMIT);
    Map<TopicPartition, Long> end = consumer.endOffsets(partitions, KAFKA_LIMIT);
    for (HeldPartition held : opened) {
      TopicPartition partition = held.partition();
      place(
          held,
          new StartDecision.Log(held.topicId(), known(begin, partition), committed.get(partition)),
          known(end, partition));
    }
  }

  private void place(HeldPartition held, StartDecision.Log kafka, long end) {
    TopicPartition partition = held.partition();
    LongSupplier firstStart =
        () -> rules.startOf(partition).in(consumer, partition, kafka.begin(), end, KAFKA_LIMIT);
    StartDecision decision =
        held.resume()
            .map(resume -> resumed(held, resume, kafka))
            .orElseGet(() -> decide(held, kafka, firstStart));
    consumer.seek(partition, decision.position());
    boolean ours = decision.kind() == StartDecision.Kind.CONTINUED && kafka.committed() != null;
    held.reads(decision, end);
    if (ours) {
      held.committed(decision.position().offset());
    }
    held.moves();
    tell(held, decision, end);
  }

  private StartDecision decide(
      HeldPartition held, StartDecision.Log kafka, LongSupplier firstStart) {
    return held.isTracked()
        ? StartDecision.of(
            held.progress(), kafka, rules.installation(), rules.adoptOffsets(), firstStart)
        : StartDecision.ofUntracked(kafka, firstStart);
  }

  /** The same member goes on after its own epoch ended: Kafka's committed offset tells nothing. */
  private static StartDecision resumed(HeldPartition held, Resume resume, StartDecision.Log kafka) {
    PartitionProgress stored = held.progress();
    OffsetRanges settled = stored.settled().plus(held.pendingSkipped()).plus(held.pendingLost());
    long floor = resume.behindCut() ? resume.storedUpTo() : resume.floor();
    if (resume.cutFrom().isPresent()) {
      floor = Math.min(floor, resume.cutFrom().getAsLong());
    }
    return StartDecision.resumed(
        settled.firstGapFrom(floor), floor, resume.cutFrom().isPresent(), stored, kafka);
  }

  private void tell(HeldPartition held, StartDecision decision, long end) {
    TopicPartition partition = held.partition();
    long position = decision.position().offset();
    metrics.started(partition.topic(), decision.kind());
    switch (decision.kind()) {
      case CONTINUED, RESUMED -> log.info("{} goes on at {}", partition, position);
      case FIRST_START ->
          log.info(
              "{} has no committed offset: starts at {} ({}), with {} records ahead of it",
              partition,
              position,
              rules.startOf(partition),
              end - position);
      case FROM_PROGRESS ->
          log.warn(
              "{} has no committed offset of this consumer; by the database the first offset that"
                  + " is not done is {}: reading starts there",
              partition,
              position);
      case HISTORY_LOST ->
          log.error(
              "{}: the database knows less than this consumer has committed to Kafka: it was set"
                  + " back, or is another one. Reading goes back to {}, the first offset that it"
                  + " does not know to be done",
              partition,
              position);
      case FORGOTTEN ->
          log.info(
              "{}: done ranges were forgotten on purpose; it goes on at {}", partition, position);
      case MOVED ->
          log.warn(
              "{}: the offset {} was not committed by this consumer: somebody has moved it, which"
                  + " is honoured. Unread offsets that it jumps: {}",
              partition,
              position,
              decision.skipped().isEmpty() ? "none" : decision.skipped());
    }
    if (!decision.skipped().isEmpty()) {
      metrics.jumped(partition.topic(), decision.skipped().count());
    }
    if (!decision.lost().isEmpty()) {
      metrics.lost(partition.topic(), decision.lost().count());
      log.warn(
          "{}: Kafka dropped records before they were read: offsets {}",
          partition,
          decision.lost());
    }
  }

  /** Kafka answers for each partition it was asked for, or throws. */
  private static long known(Map<TopicPartition, Long> offsets, TopicPartition partition) {
    return requireNonNull(offsets.get(partition), () -> "No answer for " + partition);
  }
}
