package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.inbox.OffsetRanges;
import java.util.UUID;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** Where reading starts, by what Kafka and the database know. */
class PollLoopStartTest extends PollLoopFixture {

  @Test
  void theFirstStartIsCommittedThoughNothingIsRead() {
    assign(P0);

    await().until(() -> committed.containsKey(P0));
    assertThat(CommitMetadata.parse(committed.get(P0).metadata()))
        .contains(new CommitMetadata(INSTALLATION, TOPIC, 0, 0));
  }

  @Test
  void itGoesOnAtItsOwnCommit() {
    progress.done(ROW0, 0, 4, -1);
    committed.put(P0, ours(INSTALLATION, TOPIC, 0, 4));

    assign(P0);
    awaitPosition(P0, 4);
  }

  @Test
  void aCommitThatTheDatabaseDoesNotCoverIsSetBackToTheGap() {
    progress.done(ROW0, 0, 2, -1);
    committed.put(P0, ours(INSTALLATION, TOPIC, 0, 4));

    assign(P0);
    awaitPosition(P0, 2);
  }

  @Test
  void anOperatorsMoveIsHonouredAndWhatItJumpsIsKept() {
    progress.done(ROW0, 0, 2, -1);
    committed.put(P0, new OffsetAndMetadata(5));

    assign(P0);
    awaitPosition(P0, 5);

    await().until(() -> progress.of(ROW0).skipped().equals(OffsetRanges.of(2, 5)));
    await().until(() -> CommitMetadata.parse(committed.get(P0).metadata()).isPresent());
    assertThat(committed(P0)).isEqualTo(5);
  }

  @Test
  void anOffsetOfAnotherTopicOfThatNameIsIgnored() {
    committed.put(P0, ours(INSTALLATION, UUID.randomUUID(), 0, 4));

    assign(P0);

    await().until(() -> committed(P0) == 0);
    assertThat(CommitMetadata.parse(committed.get(P0).metadata()).orElseThrow().topicId())
        .isEqualTo(TOPIC);
  }

  @Test
  void theOffsetsOfAnotherDatabaseEndTheLoop() {
    committed.put(P0, ours(UUID.randomUUID(), TOPIC, 0, 4));

    kafka.schedulePollTask(() -> kafka.rebalance(java.util.List.of(P0)));

    await().until(() -> loop.fatal() != null);
    assertThat(loop.fatal())
        .isInstanceOf(OffsetsOfAnotherInstallationException.class)
        .hasMessageContaining("adoptOffsets()");
  }

  private static OffsetAndMetadata ours(
      UUID installation, UUID topic, int generation, long offset) {
    return new OffsetAndMetadata(
        offset, new CommitMetadata(installation, topic, generation, 0).text());
  }
}
