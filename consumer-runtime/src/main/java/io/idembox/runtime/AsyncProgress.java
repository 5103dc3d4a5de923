package io.idembox.runtime;

import io.idembox.inbox.GrowthResult;
import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import io.idembox.inbox.Progress;
import io.idembox.inbox.ProgressGrowth;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;

/**
 * The partitions' progress, asked on a thread of its own: the poll thread only looks whether an
 * answer is there, so that a database that hangs never holds a poll back. One after the other, in
 * the order asked. Thread-safe.
 */
final class AsyncProgress {
  private final Progress progress;
  private final TopicRows topics;
  private final UUID token;
  private final Executor thread;

  /** The number of a topic in the inbox. */
  @FunctionalInterface
  interface TopicRows {
    int idOf(UUID topicId, String topic);
  }

  /**
   * A partition to take over.
   *
   * @param cutFrom where its log was cut off; empty if it was not
   */
  record Request(TopicPartition partition, UUID topicId, OptionalLong cutFrom) {}

  /**
   * A partition that was taken over.
   *
   * @param uncleanEnd whether another holder had it and did not release it
   */
  record Opened(UUID topicId, PartitionProgress progress, boolean uncleanEnd) {}

  /**
   * Does no I/O.
   *
   * @param token tells this member from others, and from itself before a restart
   */
  AsyncProgress(Progress progress, TopicRows topics, UUID token, Executor thread) {
    this.progress = progress;
    this.topics = topics;
    this.token = token;
    this.thread = thread;
  }

  CompletableFuture<Map<TopicPartition, Opened>> open(List<Request> requests) {
    return ask(
        () -> {
          List<InboxPartition> rows = new ArrayList<>();
          for (Request request : requests) {
            TopicPartition partition = request.partition();
            rows.add(
                new InboxPartition(
                    topics.idOf(request.topicId(), partition.topic()), partition.partition()));
          }
          List<PartitionProgress> before = progress.open(rows, token);
          Map<TopicPartition, Opened> opened = new LinkedHashMap<>();
          for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i);
            opened.put(request.partition(), opened(request, before.get(i)));
          }
          return opened;
        });
  }

  private Opened opened(Request request, PartitionProgress before) {
    PartitionProgress now =
        request.cutFrom().isPresent() ? cut(before, request.cutFrom().getAsLong()) : before;
    boolean unclean = before.open() != null && !before.open().equals(token);
    return new Opened(request.topicId(), now, unclean);
  }

  /** Nothing is cut where another member was quicker, so it is asked for until it is so. */
  private PartitionProgress cut(PartitionProgress before, long from) {
    PartitionProgress now = before;
    do {
      // Whoever cut the log leads it under an epoch above all that were read from it.
      now = progress.cut(now, from, now.leaderEpoch() + 1);
    } while (!now.settled().minus(OffsetRanges.of(from, Long.MAX_VALUE)).equals(now.settled()));
    return now;
  }

  CompletableFuture<List<GrowthResult>> grow(List<ProgressGrowth> growths) {
    return ask(() -> progress.grow(growths));
  }

  CompletableFuture<PartitionProgress> cut(PartitionProgress known, long from, int leaderEpoch) {
    return ask(() -> progress.cut(known, from, leaderEpoch));
  }

  CompletableFuture<List<PartitionProgress>> read(List<InboxPartition> partitions) {
    return ask(() -> progress.read(partitions));
  }

  CompletableFuture<?> release(Collection<InboxPartition> partitions) {
    return ask(
        () -> {
          progress.release(partitions, token);
          return partitions;
        });
  }

  /** Runs something else on that thread. */
  CompletableFuture<?> run(Runnable task) {
    return ask(
        () -> {
          task.run();
          return task;
        });
  }

  private <T> CompletableFuture<T> ask(Supplier<T> question) {
    try {
      return CompletableFuture.supplyAsync(question, thread);
    } catch (RejectedExecutionException e) {
      // The consumer is closing.
      return CompletableFuture.failedFuture(e);
    }
  }
}
