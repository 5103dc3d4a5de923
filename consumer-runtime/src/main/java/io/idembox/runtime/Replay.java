package io.idembox.runtime;

import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.MessageIdentity;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads ranges of offsets again, under the consumer's own name and beside its live group: what is
 * done is skipped, what is missing is handled. It assigns partitions to itself, joins no group and
 * commits no offset, so the live members notice nothing; what both want to handle, one of them
 * claims. Records that it finds missing run outside of the order that the live group keeps.
 *
 * <p>Thread-safe; {@link #run} is called once.
 */
public final class Replay {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long REPORT_EVERY_NANOS = Duration.ofMillis(250).toNanos();

  private final ConsumerSettings settings;
  private final @Nullable String rebuilt;
  private final ReplayPlan plan;
  private final Map<TopicPartition, ReplayPartition> partitions = new LinkedHashMap<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean cancelled;
  private long began;
  private long readInAll;
  private long wouldInherit;

  /**
   * Opens nothing.
   *
   * @param rebuilt whose rows are built anew; null for a replay
   */
  Replay(ConsumerSettings settings, @Nullable String rebuilt, ReplayPlan plan) {
    this.settings = settings;
    this.rebuilt = rebuilt;
    this.plan = plan;
  }

  /**
   * Runs to the end of the ranges, or until it is cancelled. A record that fails is tried again and
   * becomes a dead letter, as in the consumer; an outage of a server is waited out.
   *
   * @param progress is told a few times a second how it stands, on the calling thread
   * @return what it came to
   * @throws StartRefusedException if a server cannot be used; nothing was read
   * @throws InterruptedException if the calling thread is interrupted; what runs is finished first
   */
  public ReplayReport run(java.util.function.Consumer<ReplayReport> progress)
      throws InterruptedException {
    try (ReplayLanes lanes = ReplayLanes.open(settings, rebuilt, plan.dryRun(), this::committed);
        Consumer<byte[], byte[]> kafka = new KafkaConsumer<>(properties())) {
      prepare(lanes, kafka);
      began = System.nanoTime();
      long reported = began;
      while (!cancelled && !partitions.values().stream().allMatch(ReplayPartition::isFinished)) {
        turn(lanes, kafka);
        if (System.nanoTime() - reported > REPORT_EVERY_NANOS) {
          reported = System.nanoTime();
          progress.accept(report(lanes));
        }
        if (Thread.interrupted()) {
          throw new InterruptedException("The replay was interrupted");
        }
      }
      drain();
      ReplayReport end = report(lanes);
      progress.accept(end);
      kafka.close(CloseOptions.timeout(Duration.ofSeconds(1)));
      return end;
    } finally {
      ended.countDown();
    }
  }

  /** Asks it to stop: batches that run are finished, and no further one begins. */
  public void cancel() {
    cancelled = true;
  }

  /** Waits for the end of {@link #run}. Returns false if it still runs when the time is up. */
  public boolean awaitEnd(Duration limit) throws InterruptedException {
    return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Without a group: nothing is committed, and nobody is asked for a position. */
  private Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>(settings.kafka().forConsumer());
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    properties.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
    properties.remove(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
    properties.remove(ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG);
    // Ranges end one after the other, and a fetch for those that did must not keep the others'.
    properties.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 50);
    if (plan.recordsPerSecond() > 0) {
      // A poll hands out at once what the rate lets pass in a while: keep that while short.
      properties.put(
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
          (int) Math.max(1, Math.min(500, plan.recordsPerSecond() / 10)));
    }
    return properties;
  }

  private void prepare(ReplayLanes lanes, Consumer<byte[], byte[]> kafka) {
    List<InboxPartition> rows = new ArrayList<>();
    for (ReplayRange range : plan.ranges()) {
      TopicPartition partition = range.partition();
      int row = lanes.inbox().topicId(lanes.topicId(partition.topic()), partition.topic());
      rows.add(new InboxPartition(row, partition.partition()));
    }
    List<PartitionProgress> known = lanes.progress(rows).orElse(List.of());
    for (int i = 0; i < rows.size(); i++) {
      ReplayRange range = plan.ranges().get(i);
      partitions.put(
          range.partition(),
          new ReplayPartition(
              range,
              new PartitionWork(range.partition(), settings.laneLimits()),
              known.isEmpty() ? OffsetRanges.EMPTY : known.get(i).done(),
              known.isEmpty() ? -1 : known.get(i).leaderEpoch()));
    }
    kafka.assign(partitions.keySet());
    partitions.forEach((partition, one) -> kafka.seek(partition, one.range().from()));
  }

  private void turn(ReplayLanes lanes, Consumer<byte[], byte[]> kafka) {
    Set<TopicPartition> hold = new HashSet<>();
    boolean fast = plan.recordsPerSecond() == 0 || readInAll <= allowed();
    partitions.forEach(
        (partition, one) -> {
          if (one.isRead() || one.work().isFull() || !fast) {
            hold.add(partition);
          }
        });
    Set<TopicPartition> resume = new HashSet<>(kafka.paused());
    resume.removeAll(hold);
    kafka.resume(resume);
    hold.removeAll(kafka.paused());
    kafka.pause(hold);
    ConsumerRecords<byte[], byte[]> polled = kafka.poll(POLL);
    polled
        .nextOffsets()
        .forEach(
            (partition, next) -> {
              ReplayPartition one = partitions.get(partition);
              if (one != null) {
                handOut(lanes, one, polled.records(partition), next);
              }
            });
  }

  private double allowed() {
    double seconds = (System.nanoTime() - began) / 1e9;
    return seconds * plan.recordsPerSecond();
  }

  private void handOut(
      ReplayLanes lanes,
      ReplayPartition one,
      List<ConsumerRecord<byte[], byte[]>> records,
      OffsetAndMetadata next) {
    List<FetchedRecord> fresh = new ArrayList<>();
    int within = 0;
    UUID topicId = lanes.topicId(one.range().partition().topic());
    for (ConsumerRecord<byte[], byte[]> record : records) {
      if (record.offset() >= one.range().to()) {
        break;
      }
      within++;
      FetchedRecord fetched = new FetchedRecord(record, topicId);
      if (one.isDone(fetched)) {
        one.skipped(1);
      } else {
        fresh.add(fetched);
      }
    }
    readInAll += within;
    if (plan.dryRun()) {
      look(lanes, one, fresh);
    } else {
      // Before the position moves, so that nobody takes the partition for finished meanwhile.
      one.work().offer(fresh, new OffsetAndMetadata(Math.min(next.offset(), one.range().to())));
    }
    one.readTo(next.offset(), within);
    lanes.wake(one.work());
  }

  /** A dry run: asks for the rows, and touches nothing. */
  private void look(ReplayLanes lanes, ReplayPartition one, List<FetchedRecord> records) {
    ConsumerInbox inbox = lanes.inbox();
    Map<UUID, Integer> ids = new HashMap<>();
    Map<UUID, FetchedRecord> first = new LinkedHashMap<>();
    for (FetchedRecord record : records) {
      MessageIdentity identity = settings.messageIds().resolve(record);
      ids.merge(identity.id(), 1, Integer::sum);
      first.putIfAbsent(identity.id(), record);
    }
    if (ids.isEmpty()) {
      return;
    }
    Set<UUID> dead = new HashSet<>();
    inbox
        .deadLetters()
        .openAmong(ids.keySet())
        .forEach(letter -> dead.add(letter.claim().messageId()));
    Set<UUID> known = new HashSet<>(inbox.rowsOf(ids.keySet()).keySet());
    ids.forEach(
        (id, copies) -> {
          if (dead.contains(id)) {
            one.dead(copies);
          } else if (known.contains(id)) {
            one.skipped(copies);
          } else {
            one.handled(1);
            one.skipped(copies - 1);
          }
        });
    first.keySet().removeAll(dead);
    first.keySet().removeAll(known);
    wouldInherit += inherited(lanes, first);
  }

  /** How many of these the consumer that is rebuilt has done. */
  private static int inherited(ReplayLanes lanes, Map<UUID, FetchedRecord> records) {
    if (records.isEmpty() || !lanes.inbox().isRebuild()) {
      return 0;
    }
    List<InboxClaim> claims = new ArrayList<>(records.size());
    records.forEach((id, fetched) -> claims.add(FailedRecords.claim(lanes.inbox(), fetched, id)));
    int[] epochs = records.values().stream().mapToInt(FetchedRecord::leaderEpoch).toArray();
    return lanes.inbox().doneBefore(claims, epochs).cardinality();
  }

  /** Counts what the lanes have committed. */
  private void committed(BatchReport report) {
    ReplayPartition one = partitions.get(new TopicPartition(report.topic(), report.partition()));
    if (one != null) {
      one.add(report);
    }
  }

  /** After a cancellation: what runs is finished, what waits is left. */
  private void drain() throws InterruptedException {
    if (!cancelled) {
      return;
    }
    long end = System.nanoTime() + settings.budgets().shutdown().toNanos();
    partitions.values().forEach(one -> one.work().stop());
    for (ReplayPartition one : partitions.values()) {
      one.work().awaitIdle(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
    }
  }

  private ReplayReport report(ReplayLanes lanes) {
    return new ReplayReport(
        plan.dryRun(),
        cancelled,
        Duration.ofNanos(System.nanoTime() - began),
        lanes.effectsPerformed(),
        lanes.effectsReplayed(),
        plan.dryRun() ? wouldInherit : lanes.inbox().inheritedMessages(),
        lanes.inbox().inheritedEffects(),
        partitions.values().stream().map(one -> one.report(plan.dryRun())).toList());
  }
}
