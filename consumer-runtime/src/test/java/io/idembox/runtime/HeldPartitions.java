package io.idembox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Partitions whose records come, and go, by hand. */
final class HeldPartitions {
  /** As many as one poll hands out. */
  static final int POLL_RECORDS = 50;

  private HeldPartitions() {}

  /** One that is not read yet; full with 100 records. */
  static HeldPartition partition(int number) {
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
            POLL_RECORDS,
            10);
    return new HeldPartition(name, new PartitionWork(name, limits));
  }

  /** It begins to be read, at its start. */
  static void reads(HeldPartition partition) {
    partition.opened(
        new AsyncProgress.Opened(
            UUID.randomUUID(),
            new InMemoryProgress().of(new InboxPartition(1, partition.partition().partition())),
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

  /** So many records of it are in its lane. */
  static void offer(HeldPartition partition, int records) {
    List<FetchedRecord> fetched = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      fetched.add(
          new FetchedRecord(
              PollLoopFixture.record(partition.partition(), Optional.empty(), i),
              UUID.randomUUID()));
    }
    partition.work().offer(fetched, new OffsetAndMetadata(records));
  }

  /** One batch of so many records is committed. */
  static void workOff(HeldPartition partition, int records) {
    assertThat(partition.work().tryStartTurn()).isTrue();
    Batch batch = partition.work().nextBatch(records).orElseThrow();
    assertThat(batch.size()).isEqualTo(records);
    partition.work().finish(batch, Duration.ofMillis(1));
    partition.work().endTurn();
  }
}
