package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.inbox.OffsetRanges;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.junit.jupiter.api.Test;

/** What the database knows, what Kafka is told, and what happens when the two disagree. */
class PollLoopProgressTest extends PollLoopFixture {

  @Test
  void recordsInsideTheDoneRangesGoPastTheLanes() {
    progress.done(ROW0, 0, 3, 5);
    committed.put(P0, new OffsetAndMetadata(0));
    assign(P0);

    deliver(P0, 5, 0, 1, 2, 3, 4);

    Batch batch = awaitWork().nextBatch().orElseThrow();
    assertThat(batch.records()).extracting(FetchedRecord::offset).containsExactly(3L, 4L);
    await()
        .untilAsserted(
            () ->
                assertThat(reports)
                    .containsExactly(new BatchReport("orders", 0, 0, 2, 3, 0, 0, 3)));
    batch.work().finish(batch, TOOK);
    await().until(() -> committed(P0) == 5);
    assertThat(progress.of(ROW0).done()).isEqualTo(OffsetRanges.of(0, 5));
  }

  @Test
  void aRunOfDoneRecordsAloneMovesTheOffset() {
    progress.done(ROW0, 0, 3, 5);
    committed.put(P0, new OffsetAndMetadata(0));
    assign(P0);

    deliver(P0, 5, 0, 1, 2);

    await().until(() -> committed(P0) == 3);
    assertThat(woken).allSatisfy(work -> assertThat(work.nextBatch()).isEmpty());
  }

  @Test
  void aRecordWithoutALeaderEpochIsNotBelievedToBeDone() {
    progress.done(ROW0, 0, 3, 5);
    committed.put(P0, new OffsetAndMetadata(0));
    assign(P0);

    deliver(P0, 0);

    assertThat(awaitWork().nextBatch()).isPresent();
  }

  @Test
  void aRecordOfANewLeaderWaitsUntilWhatWasDoneFromItOnIsCut() {
    progress.done(ROW0, 0, 5, 5);
    committed.put(P0, new OffsetAndMetadata(0));
    assign(P0);
    deliver(P0, 5, 0, 1);
    await().until(() -> committed(P0) == 2);

    deliver(P0, 6, 2);
    await().until(() -> progress.of(ROW0).leaderEpoch() == 6);
    assertThat(progress.of(ROW0).done()).isEqualTo(OffsetRanges.of(0, 2));
    awaitPosition(P0, 2);
    woken.clear();
    deliver(P0, 6, 2);

    finish(awaitWork());
    await().until(() -> committed(P0) == 3);
  }

  @Test
  void aNewLeaderSeenUnderAnotherTimelineDoesNotHideThatTheServerWasReplaced() {
    progress.done(ROW0, 0, 0, 5);
    assign(P0);
    deliver(P0, 5, 0);
    PartitionWork work = awaitWork();
    progress.change(
        ROW0, p -> InMemoryProgress.with(p, p.done(), p.lost(), p.skipped(), 0, 5, 2, p.open()));

    deliver(P0, 6, 1);

    await().until(work::hasEnded);
    awaitPosition(P0, 0);
  }

  @Test
  void nothingIsCommittedWhileTheDatabaseCannotNoteIt() {
    assign(P0);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    progress.failWith(new IllegalStateException("the database is away"));

    work(P0, 1);

    await().until(() -> stall().equals(Optional.of(Stall.Reason.NOT_COMMITTED)));
    assertThat(committed(P0)).isEqualTo(1);
    progress.failWith(null);
    await().until(() -> committed(P0) == 2);
    assertThat(stall()).isEmpty();
  }

  @Test
  void aPartitionWaitsUntilTheDatabaseSaysWhatIsDone() {
    progress.failWith(new IllegalStateException("the database is away"));
    assign(P0);
    await().until(() -> stall().equals(Optional.of(Stall.Reason.OPENING)));
    assertThat(kafka.paused()).containsExactly(P0);

    progress.failWith(null);
    work(P0, 0);

    await().until(() -> committed(P0) == 1);
    assertThat(stall()).isEmpty();
  }

  @Test
  void aDatabaseThatWasSetBackMakesTheMemberReadAgainFromTheGap() {
    assign(P0);
    work(P0, 0);
    work(P0, 1);
    await().until(() -> committed(P0) == 2);
    progress.done(ROW0, 0, 1, -1);

    work(P0, 2);

    awaitPosition(P0, 1);
    await().until(() -> committed(P0) == 1);
    work(P0, 1);
    work(P0, 2);
    await().until(() -> committed(P0) == 3);
    assertThat(progress.of(ROW0).done()).isEqualTo(OffsetRanges.of(0, 3));
  }

  @Test
  void rangesThatWereForgottenOnPurposeAreNotReadAgainByThemselves() {
    assign(P0);
    work(P0, 0);
    work(P0, 1);
    await().until(() -> committed(P0) == 2);
    progress.forget(ROW0, OffsetRanges.of(0, 1));

    work(P0, 2);

    awaitPosition(P0, 2);
    work(P0, 2);
    await().until(() -> committed(P0) == 3);
    assertThat(progress.of(ROW0).done()).isEqualTo(OffsetRanges.of(1, 3));
  }

  @Test
  void workOfAServerThatWasReplacedIsReadAgain() {
    assign(P0);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    progress.change(
        ROW0,
        p ->
            InMemoryProgress.with(
                p, p.done(), p.lost(), p.skipped(), 0, p.leaderEpoch(), 2, p.open()));

    work(P0, 1);

    awaitPosition(P0, 1);
    assertThat(committed(P0)).isEqualTo(1);
    work(P0, 1);
    await().until(() -> committed(P0) == 2);
  }

  @Test
  void aTopicMadeAgainUnderTheSameNameIsReadFromItsStart() {
    UUID again = UUID.randomUUID();
    assign(P0);
    work(P0, 0);
    work(P0, 1);
    await().until(() -> committed(P0) == 2);
    ids.put("orders", again);

    work(P0, 2);

    awaitPosition(P0, 0);
    await().until(() -> committed(P0) == 0);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    assertThat(CommitMetadata.parse(committed.get(P0).metadata()).orElseThrow().topicId())
        .isEqualTo(again);
    assertThat(progress.of(ROW0_OF_NEW_TOPIC).done()).isEqualTo(OffsetRanges.of(0, 1));
  }

  @Test
  void nothingIsCommittedWhileTheTopicIsMissing() {
    assign(P0);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    ids.clear();

    work(P0, 1);

    await().until(() -> stall().equals(Optional.of(Stall.Reason.TOPIC_MISSING)));
    assertThat(committed(P0)).isEqualTo(1);
    ids.put("orders", TOPIC);
    await().until(() -> committed(P0) == 2);
  }

  @Test
  void offsetsThatKafkaDroppedAreLostAndNotDone() {
    assign(P0);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    kafka.schedulePollTask(() -> kafka.updateBeginningOffsets(Map.of(P0, 5L)));

    work(P0, 5);

    await().until(() -> committed(P0) == 6);
    assertThat(progress.of(ROW0).lost()).isEqualTo(OffsetRanges.of(1, 5));
    assertThat(progress.of(ROW0).done().toString()).isEqualTo("{[0,1),[5,6)}");
  }

  @Test
  void aLogThatWasCutOffIsReadAgainFromThere() {
    assign(P0);
    for (int offset = 0; offset < 4; offset++) {
      work(P0, offset);
    }
    await().until(() -> committed(P0) == 4);

    kafka.schedulePollTask(
        () ->
            kafka.setPollException(
                new LogTruncationException(Map.of(P0, 4L), Map.of(P0, new OffsetAndMetadata(2)))));

    awaitPosition(P0, 2);
    await().until(() -> progress.of(ROW0).done().equals(OffsetRanges.of(0, 2)));
    assertThat(progress.of(ROW0).leaderEpoch()).as("a zombie's growth is refused").isZero();
    work(P0, 2);
    await().until(() -> committed(P0) == 3);
  }

  /** The broker's log knows no epoch of what was read: any of it may be another record now. */
  @Test
  void aLogThatWasCutOffNobodyKnowsWhereIsReadAgainFromItsBegin() {
    assign(P0);
    for (int offset = 0; offset < 4; offset++) {
      work(P0, offset);
    }
    await().until(() -> committed(P0) == 4);

    kafka.schedulePollTask(
        () -> kafka.setPollException(new LogTruncationException(Map.of(P0, 4L), Map.of())));

    awaitPosition(P0, 0);
    await().until(() -> progress.of(ROW0).done().isEmpty());
  }

  /** The client knows no epoch to compare: its position lies beyond the end of a shorter log. */
  @Test
  void aLogThatEndsBeforeWhatWasReadIsReadAgainFromItsEnd() {
    assign(P0);
    for (int offset = 0; offset < 4; offset++) {
      work(P0, offset);
    }
    await().until(() -> committed(P0) == 4);

    kafka.schedulePollTask(
        () -> {
          kafka.updateEndOffsets(Map.of(P0, 2L));
          kafka.setPollException(new OffsetOutOfRangeException(Map.of(P0, 4L)));
        });

    awaitPosition(P0, 2);
    await().until(() -> progress.of(ROW0).done().equals(OffsetRanges.of(0, 2)));
    work(P0, 2);
    await().until(() -> committed(P0) == 3);
  }

  /** A poll that waited would cost the member its place in the group. */
  @Test
  void aDatabaseThatDoesNotAnswerHoldsNoPollBack() {
    assign(P0);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    databaseHangs();

    work(P0, 1);
    work(P0, 2);
    Instant asked = Instant.now();
    await().until(() -> loop.status().lastPoll().isAfter(asked.plusMillis(200)));
    assertThat(committed(P0)).isEqualTo(1);

    databaseAnswers();
    await().until(() -> committed(P0) == 3);
  }

  @Test
  void aCleanRevocationReleasesThePartition() {
    assign(P0, P1);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    assertThat(progress.of(ROW0).open()).isEqualTo(TOKEN);

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(() -> progress.of(ROW0).open() == null);
  }

  @Test
  void aPartitionWhoseBatchStillRanWhenItWasTakenAwayIsNotReleased() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    Batch unused = work.nextBatch().orElseThrow();

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(work::hasEnded);
    assertThat(progress.of(ROW0).open()).isEqualTo(TOKEN);
  }

  @Test
  void lostPartitionsCommitNothingAndAreNotReleased() {
    assign(P0);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    kafka.schedulePollTask(
        () -> {
          finish(work);
          callbacks.get().onPartitionsLost(List.of(P0));
          kafka.rebalance(List.of());
        });

    await().until(work::hasEnded);
    assertThat(committed(P0)).isZero();
    assertThat(progress.of(ROW0).open()).isEqualTo(TOKEN);
    assertThat(progress.of(ROW0).done()).isEqualTo(OffsetRanges.EMPTY);
  }

  @Test
  void whatAnotherHolderDidNotReleaseIsToBeHandledWithCare() {
    progress.change(
        ROW0,
        p ->
            InMemoryProgress.with(p, p.done(), p.lost(), p.skipped(), 0, -1, 1, UUID.randomUUID()));
    kafka.updateEndOffsets(Map.of(P0, 7L));

    assign(P0);
    deliver(P0, 0);

    assertThat(awaitWork().carefulBelow()).isPresent();
  }

  @Test
  void aBatchThatDoesNotEndIsAStallWithAName() {
    assign(P0);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    Batch batch = work.nextBatch().orElseThrow();

    await().until(() -> stall().equals(Optional.of(Stall.Reason.SLOW_WORK)));
    work.finish(batch, TOOK);
    await().until(() -> stall().isEmpty());
  }

  @Test
  void aPartitionThatNoCallbackAnnouncedIsTakenOver() {
    assign(P0);
    kafka.schedulePollTask(() -> callbacks.get().onPartitionsLost(List.of(P0)));

    await().until(() -> !loop.status().partitions().isEmpty());
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
  }
}
