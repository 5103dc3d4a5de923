package io.idembox.runtime;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that owns the Kafka consumer: it polls, hands records to the lanes, pauses and
 * resumes, and commits offsets. It never waits for work, except while a partition is taken away,
 * within the drain budget.
 */
final class PollLoop implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(PollLoop.class);
  private static final Duration POLL = Duration.ofMillis(100);
  // While a partition is held back, so that it is fetched again soon after its lane has room.
  private static final Duration POLL_WHILE_FULL = Duration.ofMillis(10);
  private static final Backoff LOOP_ERRORS =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

  private final Consumer<byte[], byte[]> consumer;
  private final Set<String> topics;
  private final TopicIds topicIds;
  private final StartPosition start;
  private final Budgets budgets;
  private final Workers workers;
  private final Assignment assignment;
  private final OffsetCommits commits;
  private final ConsumerMetrics metrics;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Instant lastTurn = Instant.now();
  private volatile boolean stopping;
  private volatile @Nullable Throwable fatal;
  private int errorsInARow;

  /** Who works on the lanes. */
  @FunctionalInterface
  interface Workers {
    /** The partition has got records: somebody should work on them, if nobody does. */
    void wake(PartitionWork work);
  }

  PollLoop(
      Consumer<byte[], byte[]> consumer,
      Set<String> topics,
      TopicIds topicIds,
      StartPosition start,
      Budgets budgets,
      LaneLimits limits,
      Workers workers,
      ConsumerMetrics metrics) {
    this.consumer = consumer;
    this.topics = topics;
    this.topicIds = topicIds;
    this.start = start;
    this.budgets = budgets;
    this.workers = workers;
    this.metrics = metrics;
    this.assignment = new Assignment(limits);
    this.commits = new OffsetCommits(consumer, budgets.commitInterval());
  }

  @Override
  public void run() {
    try {
      consumer.subscribe(topics, new Rebalances());
      while (!stopping) {
        turn();
      }
    } catch (Throwable e) {
      OutOfMemory.endsProcess(e, "the poll loop");
      // The edge of the loop: whatever ends it is kept for awaitEnd, so that the process can end.
      fatal = e;
      log.error("The poll loop ended", e);
    } finally {
      shutDown();
      ended.countDown();
    }
  }

  private void turn() {
    try {
      boolean full = holdBackFullPartitions();
      pollAndHandOut(full ? POLL_WHILE_FULL : POLL);
      commits.sendIfDue(assignment.works());
      askForLag();
      lastTurn = Instant.now();
      errorsInARow = 0;
    } catch (WakeupException e) {
      log.debug("Woken up");
    } catch (FencedInstanceIdException e) {
      // Another member runs under this one's group.instance.id: going on would fence it in turn.
      throw e;
    } catch (KafkaException e) {
      pauseAfter(e);
    }
  }

  private void pollAndHandOut(Duration limit) {
    try {
      handOut(consumer.poll(limit));
    } catch (NoOffsetForPartitionException e) {
      start.place(consumer, e.partitions());
    } catch (OffsetOutOfRangeException e) {
      start.placeOutOfRange(consumer, e.offsetOutOfRangePartitions());
    }
  }

  private void askForLag() {
    // From the client's own fetch answers: no request goes out. Empty until it knows.
    for (PartitionWork work : assignment.works()) {
      work.lag(consumer.currentLag(work.partition()));
    }
  }

  private void pauseAfter(KafkaException failure) {
    Duration pause = LOOP_ERRORS.after(++errorsInARow);
    log.warn(
        "Kafka answered with an error, next poll in {} ms: {}",
        pause.toMillis(),
        Causes.summary(failure));
    try {
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stopping = true;
    }
  }

  /** Makes the consumer's paused set what memory allows. Returns whether any is held back. */
  private boolean holdBackFullPartitions() {
    // From the live assignment, not from callback arguments: pausing a partition that is no longer
    // owned throws, and Kafka forgets pauses when it assigns anew.
    Set<TopicPartition> paused = consumer.paused();
    Set<TopicPartition> toPause = new HashSet<>();
    Set<TopicPartition> toResume = new HashSet<>();
    for (TopicPartition partition : consumer.assignment()) {
      boolean full = assignment.work(partition).map(PartitionWork::isFull).orElse(false);
      if (full && !paused.contains(partition)) {
        toPause.add(partition);
      } else if (!full && paused.contains(partition)) {
        toResume.add(partition);
      }
    }
    if (!toPause.isEmpty()) {
      consumer.pause(toPause);
    }
    if (!toResume.isEmpty()) {
      consumer.resume(toResume);
    }
    return !consumer.paused().isEmpty();
  }

  private void handOut(ConsumerRecords<byte[], byte[]> polled) {
    Map<TopicPartition, OffsetAndMetadata> next = polled.nextOffsets();
    for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : next.entrySet()) {
      TopicPartition partition = entry.getKey();
      PartitionWork work = assignment.work(partition).orElse(null);
      if (work == null) {
        // Kafka hands out only what is assigned, and each assignment began a lane.
        throw new IllegalStateException("Records of " + partition + " came without an assignment");
      }
      List<FetchedRecord> records = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> record : polled.records(partition)) {
        records.add(new FetchedRecord(record, topicIds.of(partition.topic())));
      }
      work.offer(records, entry.getValue());
      workers.wake(work);
    }
  }

  /** Asks the loop to end; safe from any thread. */
  void stop() {
    stopping = true;
    consumer.wakeup();
  }

  /** Waits for the end. Returns false if the loop still runs when the time is up. */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** How the loop and its partitions stand; safe from any thread. */
  ConsumerStatus status() {
    return new ConsumerStatus(lastTurn, assignment.statuses());
  }

  /** What ended the loop though nobody asked for it, or null. */
  @Nullable Throwable fatal() {
    return fatal;
  }

  private void shutDown() {
    long end = System.nanoTime() + budgets.shutdown().toNanos();
    try {
      giveUp(Set.copyOf(consumer.assignment()), budgets.shutdown());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.warn("While letting go of the partitions", e);
    }
    try {
      long left = Math.max(Duration.ofSeconds(1).toNanos(), end - System.nanoTime());
      consumer.close(CloseOptions.timeout(Duration.ofNanos(left)));
    } catch (KafkaException e) {
      log.warn("While closing the Kafka consumer", e);
    }
  }

  /** Lets the running batches end within the budget, commits what is finished, lets go. */
  private void giveUp(Collection<TopicPartition> partitions, Duration budget)
      throws InterruptedException {
    for (PartitionWork busy : assignment.drain(partitions, budget)) {
      log.warn(
          "{} did not finish within {} ms: what runs is rolled back, or found again by the next owner",
          busy.unfinished(),
          budget.toMillis());
    }
    List<PartitionWork> works = new ArrayList<>();
    partitions.forEach(partition -> assignment.work(partition).ifPresent(works::add));
    commits.flush(works, budgets.commit());
    letGo(partitions);
  }

  private void letGo(Collection<TopicPartition> partitions) {
    assignment.end(partitions);
    partitions.forEach(metrics::ended);
    commits.forget(partitions);
  }

  private final class Rebalances implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty()) {
        log.info("Assigned: {}", partitions);
      }
      assignment.add(partitions);
      partitions.forEach(partition -> assignment.work(partition).ifPresent(metrics::assigned));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      if (partitions.isEmpty()) {
        return;
      }
      log.info("Revoked: {}", partitions);
      try {
        giveUp(partitions, budgets.drain());
      } catch (InterruptedException e) {
        letGo(partitions);
        Thread.currentThread().interrupt();
      }
    }

    /** Somebody else may own them already: commit nothing. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      log.warn("Lost: {}; batches that run are rolled back", partitions);
      letGo(partitions);
    }
  }
}
