package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
    return meters.get("idembox.lag.unstable.records").gauge().value();
  }
}
