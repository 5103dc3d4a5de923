package io.idembox.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;

/** Threads with a plain Kafka consumer each. */
final class Loops implements Consumption {
  private final Progress progress;
  private final List<Consumer<byte[], byte[]>> consumers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  /** One turn of a loop: poll, work, commit. */
  @FunctionalInterface
  interface Turn {
    void take(Consumer<byte[], byte[]> consumer) throws Exception;
  }

  Loops(Setting setting, Progress progress, int loops, int maxPollRecords, Turn turn) {
    this.progress = progress;
    for (int i = 0; i < loops; i++) {
      Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(setting.peersKafka(maxPollRecords));
      consumers.add(consumer);
      threads.add(new Thread(() -> run(setting.topic(), consumer, turn), "loop-" + i));
    }
    threads.forEach(Thread::start);
  }

  private void run(String topic, Consumer<byte[], byte[]> consumer, Turn turn) {
    try (consumer) {
      consumer.subscribe(List.of(topic));
      while (!stopping) {
        turn.take(consumer);
      }
    } catch (WakeupException e) {
      if (!stopping) {
        progress.fail(e);
      }
    } catch (Exception | Error e) {
      // The edge of the loop: the pass must end now, not at its time limit.
      progress.fail(e);
    }
  }

  @Override
  public void close() {
    stopping = true;
    try {
      for (int i = 0; i < threads.size(); i++) {
        // A turn waits for records for a moment only, and commits before it ends.
        threads.get(i).join();
      }
    } catch (InterruptedException e) {
      consumers.forEach(Consumer::wakeup);
      Thread.currentThread().interrupt();
    }
  }
}
