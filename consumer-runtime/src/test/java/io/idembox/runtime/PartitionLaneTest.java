package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PartitionLaneTest {
  private static final TopicPartition PARTITION = new TopicPartition("orders", 0);
  private static final Duration TOOK = Duration.ofMillis(1);

  private final PartitionLane lane =
      new PartitionLane(PARTITION, new LaneLimits(4, 1_000, 3, 1_000, Duration.ofMillis(250)));

  @Test
  void nothingIsFinishedBeforeABatchIs() {
    lane.offer(records(0, 2), next(2));
    lane.tryStart();
    lane.nextBatch();

    assertThat(lane.finished()).isEmpty();
  }

  @Test
  void finishedEndsBehindTheLastRecordOfTheBatchWhileOthersWait() {
    lane.offer(records(0, 4), next(4));

    lane.finish(started(), TOOK);

    assertThat(finishedOffset()).contains(3L);
  }

  @Test
  void aDrainedLaneFinishesAtThePositionBehindTheGaps() {
    // Offsets 2 and 3 are transaction markers, which Kafka never hands out.
    lane.offer(records(0, 2), next(4));

    lane.finish(started(), TOOK);

    assertThat(finishedOffset()).contains(4L);
  }

  @Test
  void gapsAloneAreFinishedAtOnce() {
    lane.offer(List.of(), next(9));

    assertThat(finishedOffset()).contains(9L);
  }

  @Test
  void gapsBehindWaitingRecordsAreNotFinishedBeforeThem() {
    lane.offer(records(0, 2), next(2));
    lane.offer(List.of(), next(5));

    assertThat(lane.finished()).isEmpty();
  }

  @Test
  void aFailedBatchIsAtTheHeadAgain() {
    lane.offer(records(0, 3), next(3));
    List<FetchedRecord> failed = started();

    lane.splitAt(1);

    assertThat(lane.nextBatch()).containsExactly(failed.get(0));
  }

  @Test
  void onlyOneWorkerIsSent() {
    lane.offer(records(0, 1), next(1));

    assertThat(lane.tryStart()).isTrue();
    assertThat(lane.tryStart()).isFalse();
  }

  @Test
  void aPausedLaneStartsByItsPauseOnly() {
    lane.offer(records(0, 1), next(1));
    started();
    lane.pause();

    assertThat(lane.tryStart()).as("woken by new records").isFalse();
    assertThat(lane.tryResume()).as("its pause is over").isTrue();
  }

  @Test
  void isFullByCount() {
    lane.offer(records(0, 3), next(3));
    assertThat(lane.isFull()).isFalse();

    lane.offer(records(3, 1), next(4));
    assertThat(lane.isFull()).isTrue();
  }

  @Test
  void isFullByBytes() {
    lane.offer(List.of(record(0, 1_000)), next(1));
    assertThat(lane.isFull()).isTrue();
  }

  @Test
  void aStoppedLaneStartsNothing() throws InterruptedException {
    lane.offer(records(0, 4), next(4));
    List<FetchedRecord> running = started();
    lane.stop();

    assertThat(lane.awaitIdle(Duration.ofMillis(1))).as("the running batch may go on").isFalse();
    lane.finish(running, TOOK);
    assertThat(lane.nextBatch()).isEmpty();
    assertThat(lane.awaitIdle(Duration.ofMillis(1))).isTrue();
    assertThat(finishedOffset()).contains(3L);
  }

  @Test
  void whatALateWorkerSaysToAnEndedLaneChangesNothing() {
    lane.offer(records(0, 2), next(2));
    List<FetchedRecord> late = started();
    lane.end();

    lane.finish(late, TOOK);

    assertThat(lane.finished()).isEmpty();
    assertThat(lane.hasEnded()).isTrue();
  }

  private List<FetchedRecord> started() {
    assertThat(lane.tryStart()).isTrue();
    return lane.nextBatch();
  }

  private Optional<Long> finishedOffset() {
    return lane.finished().map(OffsetAndMetadata::offset);
  }

  private static OffsetAndMetadata next(long offset) {
    return new OffsetAndMetadata(offset);
  }

  private static List<FetchedRecord> records(long first, int count) {
    List<FetchedRecord> records = new ArrayList<>();
    for (long offset = first; offset < first + count; offset++) {
      records.add(record(offset, 10));
    }
    return records;
  }

  private static FetchedRecord record(long offset, int bytes) {
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            "orders",
            0,
            offset,
            0L,
            org.apache.kafka.common.record.TimestampType.CREATE_TIME,
            0,
            bytes,
            new byte[0],
            new byte[bytes],
            new org.apache.kafka.common.header.internals.RecordHeaders(),
            Optional.empty());
    return new FetchedRecord(record, TopicIds.UNKNOWN);
  }
}
