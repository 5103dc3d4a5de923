package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The loop's steps and Kafka's callbacks. */
class PollLoopTest extends PollLoopFixture {
  @Test
  void aPartitionWithoutACommittedOffsetStartsAtTheEarliestRecord() {
    assign(P0);
    deliver(P0, 0);

    await().until(() -> woken.size() == 1);
  }

  @Test
  void offsetsAreCommittedOnlyFromFinishedWork() {
    assign(P0);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    Batch batch = work.nextBatch().orElseThrow();
    assertThat(committed(P0)).isZero();

    work.finish(batch, TOOK);

    await().until(() -> committed(P0) == 1);
  }

  @Test
  void aFullLaneIsPausedAndResumedWhenItHasRoom() {
    assign(P0);
    deliver(P0, 0);
    deliver(P0, 1);
    PartitionWork work = awaitWork();
    await().until(() -> kafka.paused().contains(P0));

    finish(work);

    await().until(() -> kafka.paused().isEmpty());
  }

  @Test
  void aRevokedPartitionCommitsWhatItFinishedAndStartsNothingMore() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    finish(work);

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(work::hasEnded);
    assertThat(committed(P0)).isEqualTo(1);
    assertThat(work.tryStartTurn()).isFalse();
  }

  @Test
  void aRevokedPartitionWaitsForItsRunningBatchNoLongerThanTheDrainBudget() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    Batch running = work.nextBatch().orElseThrow();

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(work::hasEnded);
    work.finish(running, TOOK);
    assertThat(committed(P0)).as("a late result of an ended assignment").isZero();
  }

  @Test
  void thePartitionAssignedAgainIsAnotherLane() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork first = awaitWork();
    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));
    await().until(first::hasEnded);
    woken.clear();

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P0, P1)));
    deliver(P0, 0);

    assertThat(awaitWork()).isNotSameAs(first);
  }
}
