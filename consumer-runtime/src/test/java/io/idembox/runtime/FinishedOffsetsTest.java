package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.inbox.OffsetRanges;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

class FinishedOffsetsTest {
  private final FinishedOffsets offsets = new FinishedOffsets();

  @Test
  void theStartIsFinishedAndNothingIsDone() {
    offsets.startAt(new OffsetAndMetadata(7));

    assertThat(next()).isEqualTo(7);
    assertThat(done()).isEqualTo("{}");
  }

  @Test
  void holesBelongToWhatIsDoneAndSkippedRunsDoNot() {
    offsets.startAt(new OffsetAndMetadata(0));
    offsets.delivered(record(2));
    offsets.skipped(5, 8, Optional.of(1));
    offsets.delivered(record(9));
    offsets.polledUpTo(new OffsetAndMetadata(12));

    offsets.finish(2);
    assertThat(next()).isEqualTo(9);
    assertThat(done()).isEqualTo("{[0,5)}");
    offsets.finish(9);
    assertThat(next()).isEqualTo(12);
    assertThat(done()).isEqualTo("{[0,5),[9,12)}");
  }

  @Test
  void aRecordThatIsNotFinishedHoldsEverythingBehindItBack() {
    offsets.startAt(new OffsetAndMetadata(0));
    offsets.delivered(record(0));
    offsets.delivered(record(1));
    offsets.skipped(2, 3, Optional.of(1));
    offsets.polledUpTo(new OffsetAndMetadata(4));

    offsets.finish(1);

    assertThat(next()).isZero();
    assertThat(done()).isEqualTo("{}");
    offsets.finish(0);
    assertThat(next()).isEqualTo(4);
    assertThat(done()).isEqualTo("{[0,2)}");
  }

  @Test
  void recordsInARowCountOneByOneAndMayFinishInAnyOrder() {
    offsets.startAt(new OffsetAndMetadata(10));
    for (long offset : new long[] {10, 11, 12, 13, 15, 16}) {
      offsets.delivered(record(offset));
    }
    assertThat(offsets.open()).isEqualTo(6);

    offsets.finish(12);
    offsets.finish(10);
    assertThat(next()).isEqualTo(11);
    assertThat(done()).isEqualTo("{[10,11)}");
    offsets.delivered(record(17));
    offsets.finish(11);
    assertThat(next()).isEqualTo(13);
    assertThat(offsets.open()).isEqualTo(4);
    offsets.finish(17);
    offsets.finish(16);
    offsets.finish(15);
    assertThat(next()).isEqualTo(13);
    offsets.finish(13);
    assertThat(next()).isEqualTo(18);
    assertThat(done()).isEqualTo("{[10,18)}");
    assertThat(offsets.open()).isZero();
  }

  @Test
  void whatMayBeCommittedCarriesTheLeaderOfItsLastRecord() {
    offsets.startAt(new OffsetAndMetadata(0));
    offsets.delivered(new FetchedRecord(kafka(0, 3), TopicIds.UNKNOWN));
    offsets.delivered(new FetchedRecord(kafka(1, 4), TopicIds.UNKNOWN));

    offsets.finish(0);
    assertThat(offsets.finished()).isEqualTo(new OffsetAndMetadata(1, Optional.of(3), ""));
    offsets.finish(1);
    assertThat(offsets.finished()).isEqualTo(new OffsetAndMetadata(2, Optional.of(4), ""));
  }

  @Test
  void whatTheDatabaseWasToldIsNotToldAgain() {
    offsets.startAt(new OffsetAndMetadata(0));
    offsets.delivered(record(0));
    offsets.finish(0);
    FinishedOffsets.Finished told = offsets.snapshot().orElseThrow();
    offsets.delivered(record(1));
    offsets.finish(1);

    offsets.stored(told);

    assertThat(done()).isEqualTo("{[1,2)}");
  }

  @Test
  void whatKafkaDroppedIsLostInItsTurn() {
    offsets.startAt(new OffsetAndMetadata(0));
    offsets.delivered(record(0));
    offsets.lostUpTo(5);

    assertThat(offsets.snapshot().orElseThrow().lost()).isEqualTo(OffsetRanges.EMPTY);
    offsets.finish(0);
    assertThat(offsets.snapshot().orElseThrow().lost()).isEqualTo(OffsetRanges.of(1, 5));
    assertThat(done()).isEqualTo("{[0,1)}");
    assertThat(next()).isEqualTo(5);
  }

  @Test
  void doneRunsEndAtTheRangeAndAtANewLeader() {
    List<ConsumerRecord<byte[], byte[]>> records =
        List.of(kafka(1, 3), kafka(2, 3), kafka(4, 4), kafka(5, 5), kafka(9, 5));

    assertThat(DoneRuns.end(records, 0, OffsetRanges.of(0, 6), 5)).isEqualTo(4);
    assertThat(DoneRuns.end(records, 0, OffsetRanges.of(0, 6), 3)).isEqualTo(2);
    assertThat(DoneRuns.end(records, 1, OffsetRanges.of(0, 3), 5)).isEqualTo(2);
    assertThat(DoneRuns.end(records, 0, OffsetRanges.of(2, 6), 5)).isZero();
    assertThat(DoneRuns.end(records, 3, OffsetRanges.of(0, 100), 4)).isEqualTo(3);
  }

  private long next() {
    return offsets.snapshot().orElseThrow().next().offset();
  }

  private String done() {
    return offsets.snapshot().orElseThrow().done().toString();
  }

  private static FetchedRecord record(long offset) {
    return new FetchedRecord(kafka(offset, 0), TopicIds.UNKNOWN);
  }

  private static ConsumerRecord<byte[], byte[]> kafka(long offset, int leaderEpoch) {
    return PollLoopFixture.record(PollLoopFixture.P0, Optional.of(leaderEpoch), offset);
  }
}
