package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.inbox.InboxPartition;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A poll loop on Kafka's own mock in place of a broker, with the workers driven by hand and the
 * database's progress in memory.
 */
abstract class PollLoopFixture {
  static final TopicPartition P0 = new TopicPartition("orders", 0);
  static final TopicPartition P1 = new TopicPartition("orders", 1);
  static final UUID TOPIC = UUID.randomUUID();
  static final Duration TOOK = Duration.ofMillis(1);

  static final UUID TOKEN = UUID.randomUUID();
  static final UUID INSTALLATION = UUID.randomUUID();
  static final InboxPartition ROW0 = new InboxPartition(1, 0);
  static final InboxPartition ROW0_OF_NEW_TOPIC = new InboxPartition(2, 0);

  final InMemoryProgress progress = new InMemoryProgress();
  final Map<TopicPartition, OffsetAndMetadata> committed = new ConcurrentHashMap<>();
  final List<String> committedBeforeStored = new CopyOnWriteArrayList<>();
  final AtomicReference<ConsumerRebalanceListener> callbacks = new AtomicReference<>();
  final MockConsumer<byte[], byte[]> kafka = new RecordingConsumer();
  final AtomicReference<KafkaException> commitRefusal = new AtomicReference<>();
  final AtomicInteger refusedCommits = new AtomicInteger();
  final List<PartitionWork> woken = new CopyOnWriteArrayList<>();
  final Map<String, UUID> ids = new ConcurrentHashMap<>(Map.of("orders", TOPIC));
  final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();
  final AtomicInteger heartbeats = new AtomicInteger();
  final List<BatchReport> reports = new CopyOnWriteArrayList<>();
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Queue<Runnable> unanswered = new ConcurrentLinkedQueue<>();
  private volatile boolean databaseHangs;
  final PollLoop loop =
      new PollLoop(
          kafka,
          Set.of("orders"),
          new StartRules(
              StartPosition.EARLIEST,
              new TopicIds(Map.of(), Map.of(), Map.of(), null),
              INSTALLATION,
              false),
          new Budgets(
              Duration.ofMillis(1),
              Duration.ofSeconds(5),
              Duration.ofMillis(200),
              historyInterval(),
              Duration.ofMillis(300),
              Duration.ofMillis(200)),
          new LaneLimits(
              Ordering.PARTITION, 1, 2, 1_000_000, 10, 1_000_000, Duration.ofMillis(250), 10, 10),
          new PollLoop.Surroundings(
              topics -> CompletableFuture.completedFuture(Map.copyOf(ids)),
              new AsyncProgress(
                  progress, (id, topic) -> id.equals(TOPIC) ? 1 : 2, TOKEN, this::ask),
              partitions -> CompletableFuture.completedFuture(Map.copyOf(ends)),
              heartbeats::incrementAndGet,
              work -> {
                if (work.tryStartTurn()) {
                  woken.add(work);
                }
              },
              new ConsumerMetrics(meters, "test"),
              reports::add));
  final Thread thread = new Thread(loop, "loop-under-test");

  /** Never, as a rule: a test that changes the database decides who notices. */
  Duration historyInterval() {
    return Duration.ofHours(1);
  }

  @BeforeEach
  void start() {
    kafka.updateBeginningOffsets(Map.of(P0, 0L, P1, 0L));
    kafka.updateEndOffsets(Map.of(P0, 0L, P1, 0L));
    thread.start();
    await().until(() -> !kafka.subscription().isEmpty());
  }

  @AfterEach
  void stop() throws InterruptedException {
    loop.stop(Deadline.in(Duration.ofMillis(200)));
    assertThat(loop.awaitEnd(Duration.ofSeconds(10))).isTrue();
    thread.join();
    assertThat(committedBeforeStored).as("offsets that the database did not know").isEmpty();
  }

  /** Watches that the database hears of an offset before Kafka does. */
  private final class RecordingConsumer extends MockConsumer<byte[], byte[]> {
    private RecordingConsumer() {
      super("none");
    }

    @Override
    public synchronized void subscribe(
        Collection<String> topics, ConsumerRebalanceListener listener) {
      callbacks.set(listener);
      super.subscribe(topics, listener);
    }

    @Override
    public synchronized void commitSync(
        Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
      KafkaException refusal = refuses();
      if (refusal != null) {
        throw refusal;
      }
      record(offsets);
      super.commitSync(offsets, limit);
    }

    @Override
    public synchronized void commitAsync(
        Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
      KafkaException refusal = refuses();
      if (refusal != null) {
        callback.onComplete(offsets, refusal);
        return;
      }
      record(offsets);
      super.commitAsync(offsets, callback);
    }

    /** A wake-up is over once it was thrown; other refusals last. */
    private @Nullable KafkaException refuses() {
      KafkaException refusal = commitRefusal.get();
      if (refusal != null) {
        refusedCommits.incrementAndGet();
        if (refusal instanceof WakeupException) {
          commitRefusal.set(null);
        }
      }
      return refusal;
    }

    private void record(Map<TopicPartition, OffsetAndMetadata> offsets) {
      offsets.forEach(
          (partition, next) -> {
            CommitMetadata said = CommitMetadata.parse(next.metadata()).orElseThrow();
            InboxPartition row =
                new InboxPartition(said.topicId().equals(TOPIC) ? 1 : 2, partition.partition());
            boolean tracked = !said.topicId().equals(TopicIds.UNKNOWN);
            if (tracked && !progress.of(row).settled().covers(said.floor(), next.offset())) {
              committedBeforeStored.add(partition + "@" + next.offset());
            }
          });
      committed.putAll(offsets);
    }

    /** The mock's own forgets as soon as a partition is taken away. */
    @Override
    public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
        Set<TopicPartition> partitions, Duration limit) {
      Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>(committed);
      found.keySet().retainAll(partitions);
      return found;
    }
  }

  private void ask(Runnable question) {
    if (databaseHangs) {
      unanswered.add(question);
    } else {
      question.run();
    }
  }

  /** From now on the database answers nothing, until it is told to. */
  void databaseHangs() {
    databaseHangs = true;
  }

  void databaseAnswers() {
    databaseHangs = false;
    Runnable question;
    while ((question = unanswered.poll()) != null) {
      question.run();
    }
  }

  static void finish(PartitionWork work) {
    work.finish(work.nextBatch().orElseThrow(), TOOK);
    work.endTurn();
  }

  void assign(TopicPartition... partitions) {
    kafka.schedulePollTask(() -> kafka.rebalance(List.of(partitions)));
    await().until(() -> kafka.assignment().containsAll(List.of(partitions)));
  }

  void deliver(TopicPartition partition, long offset) {
    deliver(partition, Optional.empty(), offset);
  }

  /** All in one poll, written by the leader of this epoch. */
  void deliver(TopicPartition partition, int leaderEpoch, long... offsets) {
    deliver(partition, Optional.of(leaderEpoch), offsets);
  }

  private void deliver(TopicPartition partition, Optional<Integer> leaderEpoch, long... offsets) {
    kafka.schedulePollTask(
        () -> {
          for (long offset : offsets) {
            kafka.updateEndOffsets(Map.of(partition, offset + 1));
            kafka.addRecord(record(partition, leaderEpoch, offset));
          }
        });
  }

  static ConsumerRecord<byte[], byte[]> record(
      TopicPartition partition, Optional<Integer> leaderEpoch, long offset) {
    return new ConsumerRecord<>(
        partition.topic(),
        partition.partition(),
        offset,
        0,
        TimestampType.CREATE_TIME,
        0,
        1,
        new byte[0],
        new byte[] {1},
        new RecordHeaders(),
        leaderEpoch);
  }

  /** Delivers one record and finishes it. */
  void work(TopicPartition partition, long offset) {
    woken.clear();
    deliver(partition, offset);
    finish(awaitWork());
  }

  void awaitPosition(TopicPartition partition, long offset) {
    await().until(() -> kafka.position(partition) == offset);
  }

  Optional<Stall.Reason> stall() {
    return loop.status().partitions().get(0).stall().map(Stall::reason);
  }

  PartitionWork awaitWork() {
    await().until(() -> !woken.isEmpty());
    return woken.get(0);
  }

  /** The offset that was committed, 0 if none was. */
  long committed(TopicPartition partition) {
    OffsetAndMetadata offset = committed.get(partition);
    return offset == null ? 0 : offset.offset();
  }
}
