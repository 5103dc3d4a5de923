package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PollPaceTest {
  private static final TopicPartition P0 = new TopicPartition("orders", 0);

  private final AtomicLong now = new AtomicLong();
  private final PollPace pace = new PollPace(now::get);
  private final PartitionWork work =
      new PartitionWork(
          P0,
          new LaneLimits(
              Ordering.PARTITION,
              1,
              100,
              1_000_000,
              10,
              1_000_000,
              Duration.ofMillis(250),
              50,
              10));
  private final HeldPartition held = new HeldPartition(P0, work);

  @Test
  void aPollWaitsNoLongerWhereSomethingIsToBeCommitted() {
    reads();
    offer(1);
    held.committed(0);

    assertThat(pace.next(List.of(held), List.of())).isEqualTo(PollPace.LONGEST);
  }

  @Test
  void aPollWaitsLongestWhereEverythingIsDone() {
    reads();
    held.committed(0);

    assertThat(pace.next(List.of(held), List.of())).isEqualTo(PollPace.IDLE);
    assertThat(pace.next(List.of(), List.of())).as("about to join").isEqualTo(PollPace.LONGEST);
  }

  @Test
  void aPartitionThatStandsStillIsLookedAtSeldom() {
    reads();
    offer(100);
    pace.next(List.of(held), List.of(P0));
    passes(Duration.ofSeconds(5));

    assertThat(pace.next(List.of(held), List.of(P0))).isEqualTo(PollPace.LONGEST);
  }

  @Test
  void aPartitionThatMovesIsLookedAtBeforeHalfOfItIsWorkedOff() {
    reads();
    offer(100);
    pace.next(List.of(held), List.of(P0));
    workOff(10);
    passes(Duration.ofMillis(4));

    assertThat(pace.next(List.of(held), List.of(P0)))
        .as("2,500 a second, and 90 wait")
        .isEqualTo(Duration.ofMillis(18));
    assertThat(pace.worksOffSoon(held)).isTrue();
  }

  @Test
  void aPartitionThatGoesOnInAMomentIsLookedAtOften() {
    reads();
    offer(100);
    pace.next(List.of(held), List.of(P0));
    workOff(10);
    passes(Duration.ofMillis(50));

    assertThat(pace.next(List.of(held), List.of(P0)))
        .as("200 a second, and 90 wait")
        .isEqualTo(PollPace.OFTEN);
    passes(Duration.ofMillis(50));
    assertThat(pace.worksOffSoon(held)).as("100 a second").isFalse();
    assertThat(pace.next(List.of(held), List.of(P0))).isEqualTo(PollPace.LONGEST);
  }

  @Test
  void aFastPartitionIsNotLookedAtInALoop() {
    reads();
    offer(100);
    pace.next(List.of(held), List.of(P0));
    workOff(10);
    passes(Duration.ofNanos(1_000));

    assertThat(pace.next(List.of(held), List.of(P0))).isEqualTo(PollPace.QUICKEST);
  }

  @Test
  void thePaceIsForgottenAfterAWhileWithoutWork() {
    reads();
    offer(100);
    pace.next(List.of(held), List.of(P0));
    workOff(10);
    for (int i = 0; i < 4; i++) {
      passes(Duration.ofMillis(1_100));
      pace.next(List.of(held), List.of(P0));
    }

    assertThat(pace.next(List.of(held), List.of(P0))).isEqualTo(PollPace.LONGEST);
  }

  @Test
  void aPartitionThatIsOpenedIsLookedAtOftenUntilTheDatabaseMustBeAway() {
    assertThat(pace.next(List.of(held), List.of(P0))).isEqualTo(PollPace.QUICKEST);
    passes(Duration.ofSeconds(3));

    assertThat(pace.next(List.of(held), List.of(P0))).isEqualTo(PollPace.LONGEST);
  }

  private void passes(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private void reads() {
    held.opened(
        new AsyncProgress.Opened(
            UUID.randomUUID(),
            new PartitionProgress(
                new InboxPartition(1, 0),
                OffsetRanges.EMPTY,
                OffsetRanges.EMPTY,
                OffsetRanges.EMPTY,
                0,
                -1,
                0,
                1,
                null,
                null,
                Instant.EPOCH),
            false));
    held.reads(
        new StartDecision(
            StartDecision.Kind.CONTINUED,
            new OffsetAndMetadata(0),
            0,
            OffsetRanges.EMPTY,
            OffsetRanges.EMPTY),
        0);
  }

  private void offer(int records) {
    List<FetchedRecord> fetched = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      fetched.add(
          new FetchedRecord(PollLoopFixture.record(P0, Optional.empty(), i), UUID.randomUUID()));
    }
    work.offer(fetched, new OffsetAndMetadata(records));
  }

  private void workOff(int records) {
    assertThat(work.tryStartTurn()).isTrue();
    Batch batch = work.nextBatch(records).orElseThrow();
    assertThat(batch.size()).isEqualTo(records);
    work.finish(batch, Duration.ofMillis(1));
    work.endTurn();
  }
}
