package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Kafka may answer to a commit, a callback or a poll, and what the loop makes of it. */
class PollLoopCallbacksTest extends PollLoopFixture {

  /** C04: it is no reason to stop; the same offsets are sent again, with what came meanwhile. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommitThatIsRefusedIsSentAgain(boolean rebalance) {
    assign(P0);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    commitRefusal.set(
        rebalance ? new RebalanceInProgressException() : new CommitFailedException("not a member"));
    work(P0, 1);
    await().until(() -> refusedCommits.get() > 1);
    work(P0, 2);
    assertThat(committed(P0)).isEqualTo(1);

    commitRefusal.set(null);

    await().until(() -> committed(P0) == 3);
  }

  @Test
  void aRevocationThatMayNotCommitLetsGoAllTheSame() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    finish(work);
    commitRefusal.set(new CommitFailedException("not a member any more"));

    kafka.schedulePollTask(() -> kafka.rebalance(List.of(P1)));

    await().until(work::hasEnded);
    commitRefusal.set(null);
    work(P1, 0);
    await().until(() -> committed(P1) == 1);
  }

  /** A wake-up that was meant for the poll must not cost the last commit. */
  @Test
  void aWakeUpInTheLastCommitDoesNotAbortIt() {
    assign(P0, P1);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    Batch batch = work.nextBatch().orElseThrow();
    kafka.schedulePollTask(
        () -> {
          work.finish(batch, TOOK);
          work.endTurn();
          commitRefusal.set(new WakeupException());
          kafka.rebalance(List.of(P1));
        });

    await().until(work::hasEnded);

    assertThat(refusedCommits).hasValue(1);
    assertThat(committed(P0)).isEqualTo(1);
  }

  @Test
  void aRevocationOfNothingDisturbsNobody() {
    assign(P0);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    kafka.schedulePollTask(() -> callbacks.get().onPartitionsRevoked(List.of()));
    kafka.schedulePollTask(() -> callbacks.get().onPartitionsAssigned(List.of()));

    finish(work);

    await().until(() -> committed(P0) == 1);
    assertThat(work.hasEnded()).isFalse();
  }

  /** The partition is given back to the member that has lost it, in the same poll. */
  @Test
  void aPartitionThatWasLostAndComesBackBeginsAnew() {
    assign(P0);
    deliver(P0, 0);
    PartitionWork lost = awaitWork();
    Batch running = lost.nextBatch().orElseThrow();
    woken.clear();
    kafka.schedulePollTask(
        () -> {
          callbacks.get().onPartitionsLost(List.of(P0));
          callbacks.get().onPartitionsAssigned(List.of(P0));
        });

    await().until(lost::hasEnded);
    awaitPosition(P0, 0);
    deliver(P0, 0);
    PartitionWork again = awaitWork();
    lost.finish(running, TOOK);
    assertThat(committed(P0)).as("what the lost epoch says late").isZero();
    finish(again);
    await().until(() -> committed(P0) == 1);
  }

  @Test
  void anErrorOfKafkaIsWaitedOut() {
    assign(P0);
    kafka.schedulePollTask(() -> kafka.setPollException(new KafkaException("a broker is ill")));

    work(P0, 0);

    await().until(() -> committed(P0) == 1);
    assertThat(loop.fatal()).isNull();
  }

  /** Another member runs under the same group.instance.id: to go on would fence it in turn. */
  @Test
  void aMemberThatIsFencedEnds() {
    assign(P0);
    kafka.schedulePollTask(
        () -> kafka.setPollException(new FencedInstanceIdException("somebody else is me")));

    await().until(() -> loop.fatal() != null);

    assertThat(loop.fatal())
        .isInstanceOf(MembershipEndedException.class)
        .hasRootCauseInstanceOf(FencedInstanceIdException.class);
  }
}
