package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
  private final List<PartitionLane> woken = new CopyOnWriteArrayList<>();
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
          new LaneLimits(2, 1_000_000, 10, 1_000_000, Duration.ofMillis(250)),
          lane -> {
            if (lane.tryStart()) {
              woken.add(lane);
            }
          });
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
    PartitionLane lane = awaitLane();
    List<FetchedRecord> batch = lane.nextBatch();
    assertThat(committed(P0)).isZero();

    lane.finish(batch, TOOK);

    await().until(() -> committed(P0) == 1);
  }

  @Test
  void aFullLaneIsPausedAndResumedWhenItHasRoom() {
    assign(P0);
    deliver(P0, 0);
    deliver(P0, 1);
    PartitionLane lane = awaitLane();
    await().until(() -> kafka.paused().contains(P0));

    lane.finish(lane.nextBatch(), TOOK);

    await().until(() -> kafka.paused().isEmpty());
  }

  @Test
  void aRevokedPartitionCommitsWhatItFinishedAndStartsNothingMore() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionLane lane = awaitLane();
    lane.finish(lane.nextBatch(), TOOK);

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(lane::hasEnded);
    assertThat(committed(P0)).isEqualTo(1);
    assertThat(lane.nextBatch()).isEmpty();
  }

  @Test
  void aRevokedPartitionWaitsForItsRunningBatchNoLongerThanTheDrainBudget() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionLane lane = awaitLane();
    List<FetchedRecord> running = lane.nextBatch();

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(lane::hasEnded);
    lane.finish(running, TOOK);
    assertThat(committed(P0)).as("a late result of an ended assignment").isZero();
  }

  @Test
  void thePartitionAssignedAgainIsAnotherLane() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionLane first = awaitLane();
    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));
    await().until(first::hasEnded);
    woken.clear();

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P0, P1)));
    deliver(P0, 0);

    assertThat(awaitLane()).isNotSameAs(first);
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

  private PartitionLane awaitLane() {
    await().until(() -> !woken.isEmpty());
    return woken.get(0);
  }

  /** The offset that was committed, 0 if none was. */
  private long committed(TopicPartition partition) {
    OffsetAndMetadata offset = committed.get(partition);
    return offset == null ? 0 : offset.offset();
  }
}
