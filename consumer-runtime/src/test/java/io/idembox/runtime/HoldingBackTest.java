package io.idembox.runtime;

import static io.idembox.runtime.HeldPartitions.offer;
import static io.idembox.runtime.HeldPartitions.partition;
import static io.idembox.runtime.HeldPartitions.reads;
import static io.idembox.runtime.HeldPartitions.workOff;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HoldingBackTest {
  private static final int ONE_POLL = HeldPartitions.POLL_RECORDS;

  private final AtomicLong now = new AtomicLong();
  private final OperatorPauses pauses = new OperatorPauses();
  private final PollPace pace = new PollPace(now::get);
  private final HoldingBack holdingBack = new HoldingBack(pauses, pace, ONE_POLL);
  private final HeldPartition busy = partition(0);
  private final HeldPartition other = partition(1);

  @Test
  void whatHasEnoughInMemoryWaitsAndTheOthersAreRead() {
    reads(busy);
    reads(other);
    offer(busy, 100);
    lags(other, 1_000);

    assertThat(holdingBack.of(List.of(busy, other)).held()).containsExactly(busy.partition());
  }

  @Test
  void whatIsNotReadYetOrPausedByAPersonWaits() {
    reads(other);
    pauses.pause(other.partition(), "maintenance");

    assertThat(holdingBack.of(List.of(busy, other)).held())
        .containsExactlyInAnyOrder(busy.partition(), other.partition());
  }

  @Test
  void oneAtItsEndWaitsWithOneThatGoesOnInAMoment() {
    movesFast(busy);
    reads(other);
    lags(other, 0);

    assertThat(holdingBack.of(List.of(busy, other)).held())
        .as("a fetch for the other alone would wait at the broker")
        .containsExactlyInAnyOrder(busy.partition(), other.partition());
    assertThat(holdingBack.of(List.of(busy, other)).untilRoom()).isTrue();
  }

  @Test
  void oneThatTheNextPollMayEmptyWaitsToo() {
    movesFast(busy);
    reads(other);
    lags(other, ONE_POLL);

    assertThat(holdingBack.of(List.of(busy, other)).held()).contains(other.partition());
  }

  @Test
  void oneThatHasMoreThanAPollIsRead() {
    movesFast(busy);
    reads(other);
    lags(other, ONE_POLL + 1);

    assertThat(holdingBack.of(List.of(busy, other)).held()).containsExactly(busy.partition());
  }

  @Test
  void oneOfWhichNothingIsKnownIsRead() {
    movesFast(busy);
    reads(other);

    assertThat(holdingBack.of(List.of(busy, other)).held()).containsExactly(busy.partition());
  }

  @Test
  void nobodyWaitsForOneThatStandsStill() {
    reads(busy);
    offer(busy, 100);
    reads(other);
    lags(other, 0);
    holdingBack.of(List.of(busy, other));
    now.addAndGet(Duration.ofSeconds(1).toNanos());

    assertThat(holdingBack.of(List.of(busy, other)).held()).containsExactly(busy.partition());
  }

  @Test
  void nobodyWaitsForOneThatSomebodyHasPaused() {
    movesFast(busy);
    pauses.pause(busy.partition(), "maintenance");
    reads(other);
    lags(other, 0);

    assertThat(holdingBack.of(List.of(busy, other)).held()).containsExactly(busy.partition());
  }

  @Test
  void allAreReadOnceTheBusyOneHasRoom() {
    reads(busy);
    offer(busy, 99);
    workOff(busy, 10);
    reads(other);
    lags(other, 0);

    assertThat(holdingBack.of(List.of(busy, other)).held()).isEmpty();
  }

  /** Full, and worked off at 10,000 records a second. */
  private void movesFast(HeldPartition partition) {
    reads(partition);
    offer(partition, 120);
    pace.next(List.of(partition), List.of(partition.partition()));
    workOff(partition, 10);
    now.addAndGet(Duration.ofMillis(1).toNanos());
  }

  private static void lags(HeldPartition partition, long records) {
    partition.work().lag(OptionalLong.of(records));
  }
}
