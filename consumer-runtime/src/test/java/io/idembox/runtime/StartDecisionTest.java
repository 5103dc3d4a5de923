package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import io.idembox.runtime.StartDecision.Kind;
import java.time.Instant;
import java.util.UUID;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StartDecisionTest {
  private static final UUID HERE = UUID.randomUUID();
  private static final UUID TOPIC = UUID.randomUUID();
  private static final long FIRST_START = 1_000;

  @Test
  void nothingKnownStartsWhereTheSettingsSayAndTheRestCountsAsJumped() {
    StartDecision decision = decide(progress("{}", 0), log(10, null));

    assertThat(decision.kind()).isEqualTo(Kind.FIRST_START);
    assertThat(decision.position().offset()).isEqualTo(FIRST_START);
    assertThat(decision.skipped()).isEqualTo(OffsetRanges.of(10, FIRST_START));
  }

  @Test
  void expiredOffsetsAreMadeUpForByTheDatabase() {
    StartDecision decision = decide(progress("{[0,5),[7,9)}", 0), log(0, null));

    assertThat(decision.kind()).isEqualTo(Kind.FROM_PROGRESS);
    assertThat(decision.position().offset()).isEqualTo(5);
    assertThat(decision.floor()).isZero();
  }

  /** Otherwise a log that was cut off below would be read on from there, and its records missed. */
  @Test
  void aPositionBehindWhatIsDoneIsComparedWithTheLogsLeaders() {
    assertThat(decide(progress("{[0,5)}", 0), log(0, null)).position().leaderEpoch()).contains(0);
    assertThat(
            decide(progress("{[0,40)}", 2), log(0, ours(HERE, 2, 0, 50))).position().leaderEpoch())
        .contains(0);
    assertThat(
            StartDecision.resumed(5, 0, false, progress("{[0,5)}", 0), log(0, null))
                .position()
                .leaderEpoch())
        .contains(0);
    assertThat(
            StartDecision.resumed(5, 0, true, progress("{[0,5)}", 0), log(0, null))
                .position()
                .leaderEpoch())
        .as("after a cut the stored epoch is one above all that were read")
        .isEmpty();
  }

  @Test
  void anUnfinishedRecordBelowAllThatIsDoneIsRead() {
    assertThat(decide(progress("{[1,5)}", 0), log(0, null)).position().offset()).isZero();
  }

  @Test
  void whatKafkaDroppedSinceIsLost() {
    StartDecision decision = decide(progress("{[0,50)}", 0), log(80, null));

    assertThat(decision.position().offset()).isEqualTo(80);
    assertThat(decision.lost()).isEqualTo(OffsetRanges.of(50, 80));
  }

  @Test
  void ourCommitBelowTheLogsBeginLosesWhatLiesBetween() {
    StartDecision decision = decide(progress("{[0,50)}", 0), log(80, ours(HERE, 0, 0, 50)));

    assertThat(decision.kind()).isEqualTo(Kind.CONTINUED);
    assertThat(decision.position().offset()).isEqualTo(80);
    assertThat(decision.lost()).isEqualTo(OffsetRanges.of(50, 80));
  }

  @Test
  void ourCommitIsGoneOnAtWhenTheDatabaseKnowsAllBelowIt() {
    StartDecision decision = decide(progress("{[0,50)}", 2), log(0, ours(HERE, 2, 0, 50)));

    assertThat(decision.kind()).isEqualTo(Kind.CONTINUED);
    assertThat(decision.position().offset()).isEqualTo(50);
  }

  @Test
  void aGapBelowOurCommitMeansThatTheDatabaseWasSetBack() {
    StartDecision decision = decide(progress("{[0,40)}", 2), log(0, ours(HERE, 2, 0, 50)));

    assertThat(decision.kind()).isEqualTo(Kind.HISTORY_LOST);
    assertThat(decision.position().offset()).isEqualTo(40);
  }

  @Test
  void aGapBelowTheFloorOfOurCommitWasThereBefore() {
    StartDecision decision = decide(progress("{[0,10),[20,50)}", 2), log(0, ours(HERE, 2, 20, 50)));

    assertThat(decision.kind()).isEqualTo(Kind.CONTINUED);
    assertThat(decision.floor()).isEqualTo(20);
  }

  @Test
  void aGenerationAboveTheStoredOneMeansThatTheDatabaseWasSetBack() {
    StartDecision decision = decide(progress("{[0,40)}", 1), log(0, ours(HERE, 2, 0, 50)));

    assertThat(decision.kind()).isEqualTo(Kind.HISTORY_LOST);
    assertThat(decision.position().offset()).isEqualTo(40);
  }

  @Test
  void aGenerationBelowTheStoredOneIsADeliberateCut() {
    StartDecision decision = decide(progress("{[0,40)}", 3), log(0, ours(HERE, 2, 0, 50)));

    assertThat(decision.kind()).isEqualTo(Kind.FORGOTTEN);
    assertThat(decision.position().offset()).isEqualTo(50);
    assertThat(decision.floor()).as("the cut is not a gap of this assignment").isEqualTo(50);
  }

  @Test
  void somebodyElsesOffsetIsHonoured() {
    StartDecision decision =
        decide(progress("{[0,40)}", 0), log(0, new OffsetAndMetadata(60, "moved by hand")));

    assertThat(decision.kind()).isEqualTo(Kind.MOVED);
    assertThat(decision.position().offset()).isEqualTo(60);
    assertThat(decision.skipped()).isEqualTo(OffsetRanges.of(40, 60));
    assertThat(decision.floor()).isZero();
  }

  @Test
  void aRewindJumpsNothing() {
    StartDecision decision = decide(progress("{[0,40)}", 0), log(0, new OffsetAndMetadata(10)));

    assertThat(decision.kind()).isEqualTo(Kind.MOVED);
    assertThat(decision.position().offset()).isEqualTo(10);
    assertThat(decision.skipped()).isEqualTo(OffsetRanges.EMPTY);
  }

  @Test
  void anotherInstallationIsRefusedUntilItsOffsetsAreAdopted() {
    StartDecision.Log theirs = log(0, ours(UUID.randomUUID(), 0, 0, 50));

    assertThatThrownBy(() -> decide(progress("{}", 0), theirs))
        .isInstanceOf(OffsetsOfAnotherInstallationException.class)
        .hasMessageContaining(HERE.toString());
    StartDecision adopted =
        StartDecision.of(progress("{}", 0), theirs, HERE, true, () -> FIRST_START);
    assertThat(adopted.kind()).isEqualTo(Kind.MOVED);
    assertThat(adopted.position().offset()).isEqualTo(50);
  }

  @Test
  void theOffsetOfATopicThatWasMadeAgainIsIgnored() {
    OffsetAndMetadata old =
        new OffsetAndMetadata(50, new CommitMetadata(HERE, UUID.randomUUID(), 0, 0).text());

    assertThat(decide(progress("{}", 0), log(0, old)).kind()).isEqualTo(Kind.FIRST_START);
  }

  @Test
  void metadataThatOnlyLooksLikeOursIsForeign() {
    for (String text : new String[] {"", "idembox/1", "idembox/1 a b c d", "idembox/2 x"}) {
      assertThat(CommitMetadata.parse(text)).isEmpty();
    }
  }

  private static StartDecision decide(PartitionProgress stored, StartDecision.Log log) {
    return StartDecision.of(stored, log, HERE, false, () -> FIRST_START);
  }

  private static StartDecision.Log log(long begin, @Nullable OffsetAndMetadata committed) {
    return new StartDecision.Log(TOPIC, begin, committed);
  }

  private static OffsetAndMetadata ours(UUID installation, int generation, long floor, long at) {
    return new OffsetAndMetadata(
        at, new CommitMetadata(installation, TOPIC, generation, floor).text());
  }

  private static PartitionProgress progress(String done, int generation) {
    return new PartitionProgress(
        new InboxPartition(1, 0),
        OffsetRanges.parse(done),
        OffsetRanges.EMPTY,
        OffsetRanges.EMPTY,
        generation,
        0,
        1,
        1,
        null,
        null,
        Instant.EPOCH);
  }
}
