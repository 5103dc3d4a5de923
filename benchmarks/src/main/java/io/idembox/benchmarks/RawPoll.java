package io.idembox.benchmarks;

import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/** Polls, commits, and does nothing with the records. */
final class RawPoll implements Consumption {
  private static final Duration POLL = Duration.ofMillis(100);

  private final Progress progress;
  private final Loops loops;

  RawPoll(Setting setting, Progress progress) {
    this.progress = progress;
    this.loops = new Loops(setting, progress, 1, 2 * Setting.BATCH, this::turn);
  }

  private void turn(Consumer<byte[], byte[]> consumer) {
    ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
    if (polled.isEmpty()) {
      return;
    }
    consumer.commitAsync();
    polled
        .nextOffsets()
        .forEach((partition, next) -> progress.doneUpTo(partition.partition(), next.offset()));
  }

  @Override
  public void close() {
    loops.close();
  }
}
