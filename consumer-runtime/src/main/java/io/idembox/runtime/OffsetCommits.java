package io.idembox.runtime;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits offsets: only forward within an epoch, only from finished work, several partitions in one
 * request, and only after the database has noted what they cover and the topic was seen to be the
 * same. Used by the poll thread alone, on which Kafka also runs the commit callbacks.
 */
final class OffsetCommits {
  private static final Logger log = LoggerFactory.getLogger(OffsetCommits.class);
  private static final Backoff AGAIN = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

  private final Consumer<?, ?> consumer;
  private final CommitRound.Sources sources;
  private final UUID installation;
  private final Duration interval;
  private final CommitRound.Restarts restarts;
  private @Nullable CommitRound round;
  private boolean underWay;
  private int failures;
  private long nextRound;

  OffsetCommits(
      Consumer<?, ?> consumer,
      CommitRound.Sources sources,
      UUID installation,
      Duration interval,
      CommitRound.Restarts restarts) {
    this.consumer = consumer;
    this.sources = sources;
    this.installation = installation;
    this.interval = interval;
    this.restarts = restarts;
    this.nextRound = System.nanoTime() + interval.toNanos();
  }

  /** One step; waits for nobody. */
  void advance(Collection<HeldPartition> held) {
    if (round != null && round.isAnswered()) {
      CommitRound answered = round;
      round = null;
      send(answered);
    }
    if (round == null && !underWay && System.nanoTime() - nextRound >= 0) {
      round = CommitRound.begin(held, sources);
      nextRound = System.nanoTime() + interval.toNanos();
    }
  }

  private void send(CommitRound answered) {
    Map<TopicPartition, OffsetAndMetadata> offsets;
    try {
      offsets = answered.offsets(installation, restarts);
      failures = 0;
    } catch (CompletionException e) {
      failed(answered, requireNonNull(e.getCause()));
      return;
    }
    if (offsets.isEmpty()) {
      return;
    }
    underWay = true;
    consumer.commitAsync(
        offsets,
        (sent, failure) -> {
          underWay = false;
          if (failure == null) {
            answered.committed(sent);
          } else if (failure instanceof RetriableException) {
            // A rebalance under way, or a broker that moves: everyday, and sent again.
            log.debug("Offset commit not taken yet: {}", Causes.summary(failure));
          } else {
            // The next interval sends again whatever is still ours; a lost partition sends nothing.
            log.warn(
                "Offset commit refused, to be sent again if still owned: {}: {}",
                shown(sent),
                Causes.summary(failure));
          }
        });
  }

  private void failed(CommitRound answered, Throwable failure) {
    if (failures == 0) {
      log.warn(
          "What is finished cannot be noted, and its offsets are not committed until it can: {}",
          Causes.summary(failure));
    }
    nextRound = System.nanoTime() + AGAIN.after(++failures).toNanos();
    answered.stalled(Causes.summary(failure));
  }

  /**
   * Commits what is finished and waits for the answers. A refusal is logged, not thrown: the
   * records are in the inbox, and their next owner skips them.
   */
  void flush(Collection<HeldPartition> held, Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    try {
      if (round != null) {
        // Its growth must not come after ours; its offsets are part of ours.
        round.await(left(end));
        round = null;
      }
      CommitRound last = CommitRound.begin(held, sources);
      if (last == null) {
        return;
      }
      last.await(left(end));
      Map<TopicPartition, OffsetAndMetadata> offsets = last.offsets(installation, (h, why) -> {});
      if (!offsets.isEmpty()) {
        commitDespiteWakeup(offsets, left(end));
        last.committed(offsets);
      }
    } catch (CompletionException | KafkaException e) {
      refused(held, e);
    } catch (TimeoutException e) {
      round = null;
      refused(held, e);
    }
  }

  private static void refused(Collection<HeldPartition> held, Exception failure) {
    List<TopicPartition> partitions = held.stream().map(HeldPartition::partition).toList();
    log.warn(
        "Offset commit refused; the partitions' next owner skips what is recorded: {}: {}",
        partitions,
        failure instanceof TimeoutException
            ? "the database or Kafka did not answer in time"
            : Causes.summary(failure));
  }

  private void commitDespiteWakeup(Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
    try {
      consumer.commitSync(offsets, limit);
    } catch (WakeupException e) {
      // Meant for the poll that this commit is part of: the loop sees its flag in any case.
      consumer.commitSync(offsets, limit);
    }
  }

  private static Duration left(long end) {
    return Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(100), end - System.nanoTime()));
  }

  private static Map<TopicPartition, Long> shown(Map<TopicPartition, OffsetAndMetadata> offsets) {
    Map<TopicPartition, Long> shown = new HashMap<>();
    offsets.forEach((partition, next) -> shown.put(partition, next.offset()));
    return shown;
  }
}
