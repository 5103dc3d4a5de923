package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** A broker that names no topic ids: an offset alone proves nothing about a record. */
class PollLoopNoTopicIdTest extends PollLoopFixture {

  @Test
  void nothingIsSkippedByItsOffset() {
    ids.put("orders", TopicIds.UNKNOWN);
    progress.done(ROW0_OF_NEW_TOPIC, 0, 3, 5);
    assign(P0);

    deliver(P0, 5, 0, 1);

    Batch batch = awaitWork().nextBatch().orElseThrow();
    assertThat(batch.records()).extracting(FetchedRecord::offset).containsExactly(0L, 1L);
    assertThat(batch.records().get(0).topicId()).isEqualTo(TopicIds.UNKNOWN);
    batch.work().finish(batch, TOOK);
    await().until(() -> committed(P0) == 2);
  }

  @Test
  void itGoesOnAtTheCommittedOffsetAndTellsTheDatabaseNothing() {
    ids.put("orders", TopicIds.UNKNOWN);
    committed.put(P0, new OffsetAndMetadata(4));
    assign(P0);
    awaitPosition(P0, 4);

    work(P0, 4);

    await().until(() -> committed(P0) == 5);
    assertThat(progress.of(ROW0_OF_NEW_TOPIC).settled().isEmpty()).isTrue();
    assertThat(CommitMetadata.parse(committed.get(P0).metadata()).map(CommitMetadata::topicId))
        .isEqualTo(Optional.of(TopicIds.UNKNOWN));
  }

  /** A new leader may give offsets twice; there are no ranges that could be wrong about it. */
  @Test
  void aNewLeaderNeedsNoCut() {
    ids.put("orders", TopicIds.UNKNOWN);
    assign(P0);

    deliver(P0, 7, 0);

    finish(awaitWork());
    await().until(() -> committed(P0) == 1);
    assertThat(progress.of(ROW0_OF_NEW_TOPIC).leaderEpoch()).isEqualTo(-1);
  }
}
