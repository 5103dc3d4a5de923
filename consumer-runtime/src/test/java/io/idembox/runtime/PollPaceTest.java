package io.idembox.runtime;

import static io.idembox.runtime.HeldPartitions.offer;
import static io.idembox.runtime.HeldPartitions.reads;
import static io.idembox.runtime.HeldPartitions.workOff;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PollPaceTest {
  private static final TopicPartition P0 = PollLoopFixture.P0;

  private final AtomicLong now = new AtomicLong();
  private final PollPace pace = new PollPace(now::get);
  private final HeldPartition held = HeldPartitions.partition(0);

  @Test
  void aPollWaitsNoLongerWhereSomethingIsToBeCommitted() {
    reads(held);
    offer(held, 1);
    held.committed(0);

    assertThat(pace.next(List.of(held), List.of())).isEqualTo(PollPace.LONGEST);
  }

  @Test
  void aPollWaitsLongestWhereEverythingIsDone() {
    reads(held);
    held.committed(0);

    assertThat(pace.next(List.of(held), List.of())).isEqualTo(PollPace.IDLE);
    assertThat(pace.next(List.of(), List.of())).as("about to join").isEqualTo(PollPace.LONGEST);
  }

  @Test
  void aPartitionThatStandsStillIsLookedAtSeldom() {
    reads(held);
    offer(held, 100);
    pace.next(List.of(held), List.of(P0));
    passes(Duration.ofSeconds(5));

    assertThat(pace.next(List.of(held), List.of(P0))).isEqualTo(PollPace.LONGEST);
  }

  @Test
  void aPartitionThatMovesIsLookedAtBeforeHalfOfItIsWorkedOff() {
    reads(held);
    offer(held, 100);
    pace.next(List.of(held), List.of(P0));
    workOff(held, 10);
    passes(Duration.ofMillis(4));

    assertThat(pace.next(List.of(held), List.of(P0)))
        .as("2,500 a second, and 90 wait")
        .isEqualTo(Duration.ofMillis(18));
    assertThat(pace.worksOffSoon(held)).isTrue();
  }

  @Test
  void aPartitionThatGoesOnInAMomentIsLookedAtOften() {
    reads(held);
    offer(held, 100);
    pace.next(List.of(held), List.of(P0));
    workOff(held, 10);
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
    reads(held);
    offer(held, 100);
    pace.next(List.of(held), List.of(P0));
    workOff(held, 10);
    passes(Duration.ofNanos(1_000));

    assertThat(pace.next(List.of(held), List.of(P0))).isEqualTo(PollPace.QUICKEST);
  }

  @Test
  void thePaceIsForgottenAfterAWhileWithoutWork() {
    reads(held);
    offer(held, 100);
    pace.next(List.of(held), List.of(P0));
    workOff(held, 10);
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
}
