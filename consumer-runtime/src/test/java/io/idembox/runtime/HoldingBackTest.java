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
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class HoldingBackTest {
  private static final int ONE_POLL = 50;

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

  private static HeldPartition partition(int number) {
    TopicPartition name = new TopicPartition("orders", number);
    LaneLimits limits =
        new LaneLimits(
            Ordering.PARTITION,
            1,
            100,
            1_000_000,
            10,
            1_000_000,
            Duration.ofMillis(250),
            ONE_POLL,
            10);
    return new HeldPartition(name, new PartitionWork(name, limits));
  }

  private static void reads(HeldPartition partition) {
    partition.opened(
        new AsyncProgress.Opened(
            UUID.randomUUID(),
            new PartitionProgress(
                new InboxPartition(1, partition.partition().partition()),
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
    partition.reads(
        new StartDecision(
            StartDecision.Kind.CONTINUED,
            new OffsetAndMetadata(0),
            0,
            OffsetRanges.EMPTY,
            OffsetRanges.EMPTY),
        0);
  }

  private static void lags(HeldPartition partition, long records) {
    partition.work().lag(OptionalLong.of(records));
  }

  private static void offer(HeldPartition partition, int records) {
    List<FetchedRecord> fetched = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      fetched.add(
          new FetchedRecord(
              PollLoopFixture.record(partition.partition(), Optional.empty(), i),
              UUID.randomUUID()));
    }
    partition.work().offer(fetched, new OffsetAndMetadata(records));
  }

  private static void workOff(HeldPartition partition, int records) {
    assertThat(partition.work().tryStartTurn()).isTrue();
    Batch batch = partition.work().nextBatch(records).orElseThrow();
    assertThat(batch.size()).isEqualTo(records);
    partition.work().finish(batch, Duration.ofMillis(1));
    partition.work().endTurn();
  }
}
