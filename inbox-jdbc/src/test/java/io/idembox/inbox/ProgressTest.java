package io.idembox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.inbox.GrowthResult.Stale;
import io.idembox.inbox.GrowthResult.Stale.Reason;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which offsets are done: grown by union, never by somebody who has missed a cut. */
@WithServers(WithServers.Server.POSTGRES)
final class ProgressTest {
  private static TestScope scope;
  private InboxFixture fixture;
  private ConsumerInbox inbox;
  private Progress progress;
  private InboxPartition p0;
  private InboxPartition p1;

  @BeforeEach
  void open() {
    fixture = new InboxFixture(scope);
    inbox = fixture.open();
    progress = inbox.progress();
    int topic = inbox.topicId(InboxFixture.TOPIC, "orders");
    p0 = new InboxPartition(topic, 0);
    p1 = new InboxPartition(topic, 1);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aPartitionNeverSeenBeforeHasNothingDone() {
    PartitionProgress fresh = read(p0);

    assertThat(fresh.done().isEmpty()).isTrue();
    assertThat(fresh.generation()).isZero();
    assertThat(fresh.leaderEpoch()).isEqualTo(-1);
    assertThat(fresh.open()).isNull();
    assertThat(fresh.readUntil()).isNull();
    assertThat(fresh.serverTimeline()).isPositive();
    assertThat(progress.read(List.of(p1, p0)))
        .extracting(PartitionProgress::partition)
        .containsExactly(p1, p0);
  }

  @Test
  void rangesOfSeveralMembersAreJoined() {
    grow(read(p0), 0, 10);
    PartitionProgress zombiesView = read(p0);
    grow(read(p0), 20, 30);

    GrowthResult late = grow(zombiesView, 10, 20);

    assertThat(late.progress().done().toString()).isEqualTo("{[0,30)}");
    assertThat(read(p0).done().toString()).isEqualTo("{[0,30)}");
  }

  @Test
  void theAnswerShowsTheGapThatForbidsACommit() {
    grow(read(p0), 0, 10);

    PartitionProgress after = grow(read(p0), 20, 30).progress();

    assertThat(after.done().firstGapFrom(0)).isEqualTo(10);
    assertThat(after.done().covers(0, 30)).isFalse();
  }

  @Test
  void severalPartitionsGrowInOneStatementInTheOrderGiven() {
    PartitionProgress zero = read(p0);
    PartitionProgress one = read(p1);

    List<GrowthResult> results =
        progress.grow(
            List.of(
                ProgressGrowth.done(one, OffsetRanges.of(5, 6), one.serverTimeline()),
                ProgressGrowth.done(zero, OffsetRanges.of(0, 1), zero.serverTimeline())));

    assertThat(results).extracting(r -> r.progress().partition()).containsExactly(p1, p0);
    assertThat(results).extracting(GrowthResult::kind).containsOnly(GrowthResult.Kind.GROWN);
  }

  @Test
  void lostAndSkippedOffsetsNeverCountAsDone() {
    PartitionProgress known = read(p0);
    Instant seen = known.databaseTime();

    PartitionProgress after =
        progress
            .grow(
                List.of(
                    new ProgressGrowth(
                        p0,
                        OffsetRanges.of(30, 40),
                        OffsetRanges.of(0, 20),
                        OffsetRanges.of(20, 30),
                        known.generation(),
                        known.leaderEpoch(),
                        known.serverTimeline(),
                        seen)))
            .get(0)
            .progress();

    assertThat(after.done().toString()).isEqualTo("{[30,40)}");
    assertThat(after.lost().toString()).isEqualTo("{[0,20)}");
    assertThat(after.skipped().toString()).isEqualTo("{[20,30)}");
    assertThat(after.settled().covers(0, 40)).isTrue();
    assertThat(after.readUntil()).isEqualTo(seen.truncatedTo(java.time.temporal.ChronoUnit.MICROS));
  }

  @Test
  void readUntilNeverMovesBack() {
    PartitionProgress known = read(p0);
    Instant later = known.databaseTime();
    growUntil(known, later);

    growUntil(known, later.minusSeconds(60));

    assertThat(read(p0).readUntil())
        .isEqualTo(later.truncatedTo(java.time.temporal.ChronoUnit.MICROS));
  }

  @Test
  void forgettingCutsTheRangesRemovesTheRowsAndRefusesOlderWriters() throws Exception {
    UUID[] ids = InboxFixture.ids(10);
    inbox.run(InboxFixture.claims(inbox, ids), b -> {});
    PartitionProgress known = read(p0);
    grow(known, 0, 10);

    assertThat(progress.forget(p0, OffsetRanges.of(3, 6))).isEqualTo(3);

    assertThat(read(p0).done().toString()).isEqualTo("{[0,3),[6,10)}");
    assertThat(read(p0).generation()).isEqualTo(1);
    assertThat(grow(known, 3, 6))
        .isInstanceOfSatisfying(
            Stale.class,
            stale -> {
              assertThat(stale.reason()).isEqualTo(Reason.GENERATION);
              assertThat(stale.progress().generation()).isEqualTo(1);
            });
    inbox.run(
        InboxFixture.claims(inbox, ids),
        batch -> assertThat(batch.fresh()).containsExactly(3, 4, 5));
  }

  @Test
  void aTruncatedLogCutsTheRangesAndAZombieOfTheOldLogIsRefused() {
    PartitionProgress owner = cut(read(p0), 0, 5);
    grow(owner, 0, 100);
    PartitionProgress zombiesView = read(p0);

    PartitionProgress after = cut(read(p0), 90, 6);

    assertThat(after.done().toString()).isEqualTo("{[0,90)}");
    assertThat(after.leaderEpoch()).isEqualTo(6);
    assertThat(grow(zombiesView, 100, 110))
        .isInstanceOfSatisfying(
            Stale.class, stale -> assertThat(stale.reason()).isEqualTo(Reason.LEADER_EPOCH));
    assertThat(read(p0).done().toString()).isEqualTo("{[0,90)}");
    assertThat(grow(after, 90, 95).progress().done().toString()).isEqualTo("{[0,95)}");
  }

  @Test
  void aCutByTwoMembersHappensOnce() {
    PartitionProgress first = read(p0);
    PartitionProgress second = read(p0);
    grow(cut(first, 10, 3), 10, 20);

    PartitionProgress after = cut(second, 10, 3);

    assertThat(after.done().toString()).isEqualTo("{[10,20)}");
    assertThat(after.leaderEpoch()).isEqualTo(3);
  }

  @Test
  void workOfAnotherTimelineIsRefused() {
    PartitionProgress known = read(p0);

    GrowthResult result =
        progress
            .grow(
                List.of(
                    ProgressGrowth.done(known, OffsetRanges.of(0, 5), known.serverTimeline() + 1)))
            .get(0);

    assertThat(result)
        .isInstanceOfSatisfying(
            Stale.class, stale -> assertThat(stale.reason()).isEqualTo(Reason.TIMELINE));
    assertThat(read(p0).done().isEmpty()).isTrue();
  }

  @Test
  void aTopicMadeAgainStartsAnew() {
    grow(read(p0), 0, 10);

    InboxPartition again = new InboxPartition(inbox.topicId(UUID.randomUUID(), "orders"), 0);

    assertThat(read(again).done().isEmpty()).isTrue();
  }

  @Test
  void anUncleanEndIsSeenByTheNextHolderAndOnlyTheHolderReleases() {
    UUID first = UUID.randomUUID();
    UUID second = UUID.randomUUID();

    assertThat(progress.open(List.of(p0, p1), first))
        .extracting(PartitionProgress::open)
        .containsOnlyNulls();
    assertThat(progress.open(List.of(p0), second))
        .extracting(PartitionProgress::open)
        .containsExactly(first);
    progress.release(List.of(p0, p1), first);
    assertThat(read(p0).open()).isEqualTo(second);
    assertThat(read(p1).open()).isNull();
    progress.release(List.of(p0), second);
    assertThat(read(p0).open()).isNull();
  }

  @Test
  void aRecordInsideTheDoneRangesIsNotFreshThoughItsRowWasPruned() throws Exception {
    UUID[] ids = InboxFixture.ids(6);
    inbox.run(InboxFixture.claims(inbox, ids), b -> {});
    grow(read(p0), 0, 4);
    fixture.execute("delete from idembox.inbox");

    inbox.run(
        InboxFixture.claims(inbox, ids), batch -> assertThat(batch.fresh()).containsExactly(4, 5));
  }

  @Test
  void growingWhatWasNeverReadIsAMistake() {
    PartitionProgress known = read(p0);
    ProgressGrowth growth =
        new ProgressGrowth(
            p1,
            OffsetRanges.of(0, 1),
            OffsetRanges.EMPTY,
            OffsetRanges.EMPTY,
            0,
            -1,
            known.serverTimeline(),
            null);

    assertThatThrownBy(() -> progress.grow(List.of(growth)))
        .isInstanceOf(IllegalStateException.class);
  }

  private PartitionProgress read(InboxPartition partition) {
    return progress.read(List.of(partition)).get(0);
  }

  private GrowthResult grow(PartitionProgress known, long from, long to) {
    return progress
        .grow(
            List.of(ProgressGrowth.done(known, OffsetRanges.of(from, to), known.serverTimeline())))
        .get(0);
  }

  private void growUntil(PartitionProgress known, Instant readUntil) {
    progress.grow(
        List.of(
            new ProgressGrowth(
                known.partition(),
                OffsetRanges.EMPTY,
                OffsetRanges.EMPTY,
                OffsetRanges.EMPTY,
                known.generation(),
                known.leaderEpoch(),
                known.serverTimeline(),
                readUntil)));
  }

  private PartitionProgress cut(PartitionProgress known, long from, int epoch) {
    return progress.cut(known, from, epoch);
  }
}
