package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
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
}
