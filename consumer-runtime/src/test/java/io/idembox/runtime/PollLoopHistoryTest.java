package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.inbox.OffsetRanges;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the loop finds out by looking now and then. */
class PollLoopHistoryTest extends PollLoopFixture {

  @Override
  Duration historyInterval() {
    return Duration.ofMillis(50);
  }

  @Test
  void anIdleMemberNoticesThatTheDatabaseWasSetBack() {
    assign(P0);
    work(P0, 0);
    work(P0, 1);
    await().until(() -> committed(P0) == 2);

    progress.done(ROW0, 0, 1, -1);

    awaitPosition(P0, 1);
    assertThat(heartbeats.get()).isPositive();
  }

  /**
   * What is stored looks whole; what was committed under the old server may be lost all the same.
   */
  @Test
  void anIdleMemberNoticesThatTheServerWasReplaced() {
    assign(P0);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    finish(work);
    await().until(() -> committed(P0) == 1);

    progress.change(
        ROW0,
        p ->
            InMemoryProgress.with(
                p, p.done(), p.lost(), p.skipped(), 0, p.leaderEpoch(), 2, p.open()));

    await().until(work::hasEnded);
    awaitPosition(P0, 1);
  }

  @Test
  void anIdleMemberTakesNoteOfWhatWasForgottenAndReadsNoneOfItAgain() {
    assign(P0);
    deliver(P0, 0);
    PartitionWork work = awaitWork();
    finish(work);
    work(P0, 1);
    await().until(() -> committed(P0) == 2);

    progress.forget(ROW0, OffsetRanges.of(0, 1));

    await().until(work::hasEnded);
    awaitPosition(P0, 2);
    work(P0, 2);
    await().until(() -> committed(P0) == 3);
    assertThat(progress.of(ROW0).done()).isEqualTo(OffsetRanges.of(1, 3));
  }

  @Test
  void aLogEndThatIsPassedTellsUpToWhenThePartitionWasRead() {
    ends.put(P0, 2L);
    assign(P0);
    work(P0, 0);
    await().until(() -> committed(P0) == 1);
    assertThat(progress.readUntil).doesNotContainKey(ROW0);

    work(P0, 1);

    await().until(() -> progress.readUntil.containsKey(ROW0));
  }

  /** Kafka hands out nothing behind the last stable offset, and its own lag ends there. */
  @Test
  void whatAnOpenTransactionHoldsBackIsCountedByItself() {
    ends.put(P0, 5L);
    assign(P0);
    work(P0, 0);
    work(P0, 1);

    await().until(() -> unstable() == 3);
    await().until(() -> stall().equals(Optional.of(Stall.Reason.OPEN_TRANSACTION)));
    ends.put(P0, 3L);
    work(P0, 2);
    await().until(() -> unstable() == 0 && stall().isEmpty());
  }

  private double unstable() {
    return meters.find("idembox.lag.unstable.records").gauges().stream()
        .mapToDouble(gauge -> gauge.value())
        .sum();
  }
}
