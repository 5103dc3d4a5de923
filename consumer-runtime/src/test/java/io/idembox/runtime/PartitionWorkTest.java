package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class PartitionWorkTest {
  private static final Duration TOOK = Duration.ofMillis(1);

  private final PartitionWork inOrder = work(Ordering.PARTITION, 4);
  private final PartitionWork byKey = work(Ordering.KEY, 4);

  @Test
  void nothingIsFinishedBeforeABatchIs() {
    inOrder.offer(records(0, 2), next(2));
    turn(inOrder);

    assertThat(inOrder.finished()).isEmpty();
  }

  @Test
  void finishedEndsBehindTheLastRecordOfTheBatchWhileOthersWait() {
    inOrder.offer(records(0, 4), next(4));

    inOrder.finish(turn(inOrder), TOOK);

    assertThat(finishedOffset(inOrder)).contains(3L);
  }

  @Test
  void whatIsDrainedFinishesAtThePositionBehindTheGaps() {
    // Offsets 2 and 3 are transaction markers, which Kafka never hands out.
    inOrder.offer(records(0, 2), next(4));

    inOrder.finish(turn(inOrder), TOOK);

    assertThat(finishedOffset(inOrder)).contains(4L);
  }

  @Test
  void gapsAloneAreFinishedAtOnce() {
    inOrder.offer(List.of(), next(9));

    assertThat(finishedOffset(inOrder)).contains(9L);
  }

  @Test
  void gapsBehindWaitingRecordsAreNotFinishedBeforeThem() {
    inOrder.offer(records(0, 2), next(2));
    inOrder.offer(List.of(), next(5));

    assertThat(inOrder.finished()).isEmpty();
  }

  @Test
  void aFailedBatchIsAtTheHeadAgainUpToItsCulprit() {
    inOrder.offer(records(0, 3), next(3));
    Batch failed = turn(inOrder);

    inOrder.splitAt(failed, 1);
    inOrder.giveBack(failed);
    inOrder.endTurn();

    assertThat(turn(inOrder).records()).containsExactly(failed.first());
  }

  @Test
  void whatABatchDidNotReachIsAtTheHeadsOfItsLanesAgain() {
    PartitionWork one = work(Ordering.KEY, 1);
    one.offer(List.of(record(0, "a"), record(1, "b"), record(2, "a")), next(3));

    one.finish(turn(one), 1, TOOK);
    one.endTurn();

    assertThat(finishedOffset(one)).contains(1L);
    assertThat(one.queued()).isEqualTo(2);
    assertThat(offsetsOf(turn(one))).containsExactly(1L, 2L);
  }

  @Test
  void onlyOneWorkerIsSentToAPartitionInOrder() {
    inOrder.offer(records(0, 1), next(1));

    assertThat(inOrder.tryStartTurn()).isTrue();
    assertThat(inOrder.tryStartTurn()).isFalse();
  }

  @Test
  void aPausedLaneStartsWhenItIsGivenBackAndNotByNewRecords() {
    inOrder.offer(records(0, 1), next(1));
    Batch failed = turn(inOrder);
    inOrder.pause(failed);
    inOrder.endTurn();

    inOrder.offer(records(1, 1), next(2));
    assertThat(inOrder.tryStartTurn()).isFalse();

    inOrder.giveBack(failed);
    assertThat(turn(inOrder).first()).isEqualTo(failed.first());
  }

  @Test
  void isFullByCount() {
    inOrder.offer(records(0, 3), next(3));
    assertThat(inOrder.isFull()).isFalse();

    inOrder.offer(records(3, 1), next(4));
    assertThat(inOrder.isFull()).isTrue();
  }

  @Test
  void isFullByBytes() {
    inOrder.offer(List.of(record(0, null, 1_000)), next(1));

    assertThat(inOrder.isFull()).isTrue();
  }

  @Test
  void aStoppedPartitionStartsNothingAndWaitsForWhatRuns() throws InterruptedException {
    inOrder.offer(records(0, 4), next(4));
    Batch running = turn(inOrder);
    inOrder.stop();

    assertThat(inOrder.awaitIdle(Duration.ofMillis(1))).isFalse();
    inOrder.finish(running, TOOK);
    inOrder.endTurn();
    assertThat(inOrder.awaitIdle(Duration.ofMillis(1))).isTrue();
    assertThat(inOrder.tryStartTurn()).isFalse();
    assertThat(finishedOffset(inOrder)).contains(3L);
  }

  @Test
  void whatALateWorkerSaysToAnEndedAssignmentChangesNothing() {
    inOrder.offer(records(0, 2), next(2));
    Batch late = turn(inOrder);
    inOrder.end();

    inOrder.finish(late, TOOK);

    assertThat(inOrder.finished()).isEmpty();
    assertThat(inOrder.hasEnded()).isTrue();
  }

  @Test
  void recordsOfOneKeyNeverRunAtTheSameTime() {
    byKey.offer(List.of(record(0, "a"), record(1, "a"), record(2, "b")), next(3));

    Batch first = turn(byKey);
    Batch second = turn(byKey);

    assertThat(offsetsOf(first)).containsExactly(0L, 1L);
    assertThat(offsetsOf(second)).containsExactly(2L);
    byKey.offer(List.of(record(3, "a")), next(4));
    assertThat(byKey.tryStartTurn()).as("both keys are being worked on").isFalse();
  }

  @Test
  void aKeyThatFinishesEarlyDoesNotMoveTheOffsetPastASlowOne() {
    byKey.offer(List.of(record(0, "slow"), record(1, "quick")), next(2));
    Batch slow = turn(byKey);
    Batch quick = turn(byKey);

    byKey.finish(quick, TOOK);
    assertThat(byKey.finished()).isEmpty();

    byKey.finish(slow, TOOK);
    assertThat(finishedOffset(byKey)).contains(2L);
  }

  @Test
  void aStuckKeyLetsItsNeighboursRun() {
    byKey.offer(List.of(record(0, "stuck"), record(1, "other")), next(2));
    Batch stuck = turn(byKey);
    byKey.pause(stuck);
    byKey.endTurn();

    byKey.finish(turn(byKey), TOOK);
    byKey.endTurn();
    byKey.offer(List.of(record(2, "other"), record(3, "stuck")), next(4));

    assertThat(offsetsOf(turn(byKey))).containsExactly(2L);
  }

  @Test
  void manyKeysShareABatchInTheOrderOfTheirOffsets() {
    PartitionWork one = work(Ordering.KEY, 1);
    one.offer(List.of(record(0, "a"), record(1, "b"), record(2, "a")), next(3));

    assertThat(offsetsOf(turn(one))).containsExactly(0L, 1L, 2L);
  }

  @Test
  void aCulpritAmongManyKeysGoesOnAloneAndTheOthersWithoutIt() {
    PartitionWork one = work(Ordering.KEY, 1);
    one.offer(List.of(record(0, "good"), record(1, "bad"), record(2, "good")), next(3));
    Batch failed = turn(one);

    one.splitAt(failed, 1);
    one.giveBack(failed);
    one.endTurn();
    List<List<Long>> batches = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Batch batch = turn(one);
      batches.add(offsetsOf(batch));
      one.finish(batch, TOOK);
      one.endTurn();
    }

    assertThat(batches).containsExactlyInAnyOrder(List.of(0L, 2L), List.of(1L));
  }

  /** One of them may be why the holder before ended uncleanly. */
  @Test
  void whatMayHaveBeenInFlightRunsAlone() {
    inOrder.uncleanStart(2);
    inOrder.offer(records(0, 4), next(4));

    List<List<Long>> batches = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Batch batch = turn(inOrder);
      assertThat(batch.careful()).isEqualTo(i < 2);
      batches.add(offsetsOf(batch));
      inOrder.finish(batch, TOOK);
      inOrder.endTurn();
    }

    assertThat(batches).containsExactly(List.of(0L), List.of(1L), List.of(2L, 3L));
  }

  @Test
  void noMoreRunsAloneThanAHolderMayHaveInItsHands() {
    inOrder.uncleanStart(1_000_000);
    inOrder.offer(records(10, 1), next(11));

    assertThat(inOrder.carefulBelow()).hasValue(14);
  }

  @Test
  void recordsWithoutAKeyHaveNoOrder() {
    byKey.offer(List.of(record(0, null), record(1, null)), next(2));

    assertThat(offsetsOf(turn(byKey))).hasSize(1);
    assertThat(offsetsOf(turn(byKey))).hasSize(1);
  }

  @Test
  void saysOnceThatAFullPartitionHasRoom() {
    AtomicInteger said = new AtomicInteger();
    PartitionWork work =
        new PartitionWork(
            new TopicPartition("orders", 0), limits(Ordering.PARTITION, 1), said::incrementAndGet);
    work.offer(records(0, 8), next(8));

    List<Integer> saidAfterEach = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      work.finish(turn(work), TOOK);
      work.endTurn();
      saidAfterEach.add(said.get());
    }

    assertThat(saidAfterEach)
        .as("with 5, 2 and no records left, of at most 3")
        .containsExactly(0, 1, 1);
  }

  private static PartitionWork work(Ordering ordering, int concurrency) {
    return new PartitionWork(new TopicPartition("orders", 0), limits(ordering, concurrency));
  }

  private static LaneLimits limits(Ordering ordering, int concurrency) {
    return new LaneLimits(ordering, concurrency, 4, 1_000, 3, 1_000, Duration.ofMillis(250), 10, 3);
  }

  private static Batch turn(PartitionWork work) {
    assertThat(work.tryStartTurn()).isTrue();
    return work.nextBatch().orElseThrow();
  }

  private static Optional<Long> finishedOffset(PartitionWork work) {
    return work.finished().map(OffsetAndMetadata::offset);
  }

  private static List<Long> offsetsOf(Batch batch) {
    return batch.records().stream().map(FetchedRecord::offset).toList();
  }

  private static OffsetAndMetadata next(long offset) {
    return new OffsetAndMetadata(offset);
  }

  private static List<FetchedRecord> records(long first, int count) {
    List<FetchedRecord> records = new ArrayList<>();
    for (long offset = first; offset < first + count; offset++) {
      records.add(record(offset, null, 10));
    }
    return records;
  }

  private static FetchedRecord record(long offset, String key) {
    return record(offset, key, 10);
  }

  private static FetchedRecord record(long offset, String key, int bytes) {
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "orders",
            0,
            offset,
            0L,
            TimestampType.CREATE_TIME,
            0,
            bytes,
            key == null ? null : key.getBytes(StandardCharsets.UTF_8),
            new byte[bytes],
            new RecordHeaders(),
            Optional.empty());
    return new FetchedRecord(record, TopicIds.UNKNOWN);
  }
}
