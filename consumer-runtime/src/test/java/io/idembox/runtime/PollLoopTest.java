package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The loop's steps, with Kafka's own mock in place of a broker and the workers driven by hand. */
class PollLoopTest {
  private static final TopicPartition P0 = new TopicPartition("orders", 0);
  private static final TopicPartition P1 = new TopicPartition("orders", 1);
  private static final Duration TOOK = Duration.ofMillis(1);

  private final Map<TopicPartition, OffsetAndMetadata> committed = new ConcurrentHashMap<>();
  private final MockConsumer<byte[], byte[]> kafka =
      // Its own committed() forgets what was committed as soon as a partition is taken away.
      new MockConsumer<>("none") {
        @Override
        public synchronized void commitSync(
            Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
          committed.putAll(offsets);
          super.commitSync(offsets, limit);
        }

        @Override
        public synchronized void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
          committed.putAll(offsets);
          super.commitAsync(offsets, callback);
        }
      };
  private final List<PartitionWork> woken = new CopyOnWriteArrayList<>();
  private final PollLoop loop =
      new PollLoop(
          kafka,
          Set.of("orders"),
          new TopicIds(Map.of()),
          StartPosition.EARLIEST,
          new Budgets(
              Duration.ofMillis(1),
              Duration.ofSeconds(5),
              Duration.ofMillis(200),
              Duration.ofMillis(200)),
          new LaneLimits(
              Ordering.PARTITION, 1, 2, 1_000_000, 10, 1_000_000, Duration.ofMillis(250), 10),
          work -> {
            if (work.tryStartTurn()) {
              woken.add(work);
            }
          },
          new ConsumerMetrics(new SimpleMeterRegistry(), "test"));
  private final Thread thread = new Thread(loop, "loop-under-test");

  @BeforeEach
  void start() {
    kafka.updateBeginningOffsets(Map.of(P0, 0L, P1, 0L));
    kafka.updateEndOffsets(Map.of(P0, 0L, P1, 0L));
    thread.start();
    await().until(() -> !kafka.subscription().isEmpty());
  }

  @AfterEach
  void stop() throws InterruptedException {
    loop.stop();
    assertThat(loop.awaitEnd(Duration.ofSeconds(10))).isTrue();
    thread.join();
  }

  @Test
  void aPartitionWithoutACommittedOffsetStartsAtTheEarliestRecord() {
    assign(P0);
    deliver(P0, 0);

    await().until(() -> woken.size() == 1);
  }

  @Test
  void offsetsAreCommittedOnlyFromFinishedWork() {
    assign(P0);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    Batch batch = work.nextBatch().orElseThrow();
    assertThat(committed(P0)).isZero();

    work.finish(batch, TOOK);

    await().until(() -> committed(P0) == 1);
  }

  @Test
  void aFullLaneIsPausedAndResumedWhenItHasRoom() {
    assign(P0);
    deliver(P0, 0);
    deliver(P0, 1);
    PartitionWork work = awaitWork();
    await().until(() -> kafka.paused().contains(P0));

    finish(work);

    await().until(() -> kafka.paused().isEmpty());
  }

  @Test
  void aRevokedPartitionCommitsWhatItFinishedAndStartsNothingMore() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    finish(work);

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(work::hasEnded);
    assertThat(committed(P0)).isEqualTo(1);
    assertThat(work.tryStartTurn()).isFalse();
  }

  @Test
  void aRevokedPartitionWaitsForItsRunningBatchNoLongerThanTheDrainBudget() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    Batch running = work.nextBatch().orElseThrow();

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(work::hasEnded);
    work.finish(running, TOOK);
    assertThat(committed(P0)).as("a late result of an ended assignment").isZero();
  }

  @Test
  void thePartitionAssignedAgainIsAnotherLane() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork first = awaitWork();
    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));
    await().until(first::hasEnded);
    woken.clear();

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P0, P1)));
    deliver(P0, 0);

    assertThat(awaitWork()).isNotSameAs(first);
  }

  private static void finish(PartitionWork work) {
    work.finish(work.nextBatch().orElseThrow(), TOOK);
    work.endTurn();
  }

  private void assign(TopicPartition... partitions) {
    kafka.schedulePollTask(() -> kafka.rebalance(List.of(partitions)));
    await().until(() -> kafka.assignment().containsAll(List.of(partitions)));
  }

  private void deliver(TopicPartition partition, long offset) {
    kafka.schedulePollTask(
        () -> {
          kafka.updateEndOffsets(Map.of(partition, offset + 1));
          kafka.addRecord(
              new ConsumerRecord<>(
                  partition.topic(), partition.partition(), offset, new byte[0], new byte[] {1}));
        });
  }

  private PartitionWork awaitWork() {
    await().until(() -> !woken.isEmpty());
    return woken.get(0);
  }

  /** The offset that was committed, 0 if none was. */
  private long committed(TopicPartition partition) {
    OffsetAndMetadata offset = committed.get(partition);
    return offset == null ? 0 : offset.offset();
  }
}
