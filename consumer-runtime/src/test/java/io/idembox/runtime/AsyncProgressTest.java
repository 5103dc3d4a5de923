package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class AsyncProgressTest {
  private static final TopicPartition P0 = new TopicPartition("orders", 0);
  private static final InboxPartition ROW0 = new InboxPartition(1, 0);

  /** P3: what is done beyond the cut stands for records of a leader that is gone. */
  @Test
  void aTruncatedLogIsCutThoughAnotherMemberWasQuicker() {
    InMemoryProgress progress = new InMemoryProgress();
    progress.done(ROW0, 0, 20, 1);
    progress.beforeNextCut(() -> progress.done(ROW0, 0, 15, 2));
    AsyncProgress async =
        new AsyncProgress(progress, (id, name) -> 1, UUID.randomUUID(), Runnable::run);

    AsyncProgress.Opened opened =
        async
            .open(List.of(new AsyncProgress.Request(P0, UUID.randomUUID(), OptionalLong.of(10))))
            .join()
            .get(P0);

    assertThat(opened.progress().done()).isEqualTo(OffsetRanges.of(0, 10));
    assertThat(opened.progress().leaderEpoch()).isEqualTo(3);
  }
}
