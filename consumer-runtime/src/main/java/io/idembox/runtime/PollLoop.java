package io.idembox.runtime;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedAssignorException;
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
  private static final Duration UNANNOUNCED_FOR = Duration.ofSeconds(3);
  private static final List<Class<? extends KafkaException>> REFUSED_FOR_GOOD =
      List.of(
          FencedInstanceIdException.class,
          UnreleasedInstanceIdException.class,
          UnsupportedAssignorException.class,
          GroupMaxSizeReachedException.class,
          GroupAuthorizationException.class);
  private static final Backoff LOOP_ERRORS =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

  private final Consumer<byte[], byte[]> consumer;
  private final Set<String> topics;
  private final AsyncProgress progress;
  private final Budgets budgets;
  private final Workers workers;
  private final Assignment assignment;
  private final Openings openings;
  private final LeaderCuts cuts;
  private final OffsetCommits commits;
  private final LogEdges edges;
  private final HistoryWatch history;
  private final Watchdog watchdog;
  private final PollPace pace = new PollPace(System::nanoTime);
  private final SkippedRuns skipped;
  private final OperatorPauses pauses = new OperatorPauses();
  private final HoldingBack holdingBack;
  private final Bell room = new Bell();
  private boolean waitsForRoom;
  private volatile boolean joined;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Instant lastTurn = Instant.now();
  private final Map<TopicPartition, Long> unannounced = new HashMap<>();
  private volatile boolean stopping;
  private volatile @Nullable Deadline shutdown;
  private volatile @Nullable Throwable fatal;
  private int errorsInARow;

  /** Who works on the lanes. */
  @FunctionalInterface
  interface Workers {
    /** The partition has got records: somebody should work on them, if nobody does. */
    void wake(PartitionWork work);
  }

  /**
   * Whom the loop meets.
   *
   * @param ids which topics stand behind the names
   * @param progress what the database knows
   * @param ends how far the logs reach
   * @param heartbeat tells the database that this member is alive; called on the thread that asks
   *     for progress
   */
  record Surroundings(
      TopicSightings ids,
      AsyncProgress progress,
      HistoryWatch.LogEnds ends,
      Runnable heartbeat,
      Workers workers,
      ConsumerMetrics metrics,
      RunListener listener) {}

  PollLoop(
      Consumer<byte[], byte[]> consumer,
      Set<String> topics,
      StartRules rules,
      Budgets budgets,
      LaneLimits limits,
      Surroundings around) {
    this.consumer = consumer;
    this.topics = topics;
    this.progress = around.progress();
    this.budgets = budgets;
    this.workers = around.workers();
    this.assignment = new Assignment(limits, around.metrics(), room::ring);
    this.holdingBack = new HoldingBack(pauses, pace, limits.pollRecords());
    this.openings = new Openings(consumer, around.ids(), progress, rules, around.metrics());
    this.cuts = new LeaderCuts(progress, this::restart);
    this.commits =
        new OffsetCommits(
            consumer,
            new CommitRound.Sources(progress, around.ids()),
            rules.installation(),
            budgets.commitInterval(),
            this::restart);
    this.edges = new LogEdges(consumer, assignment, around.metrics(), this::restart);
    this.history =
        new HistoryWatch(
            progress, around.ends(), around.heartbeat(), budgets.historyInterval(), this::restart);
    this.watchdog = new Watchdog(consumer, budgets.stallAfter());
    this.skipped = new SkippedRuns(around.listener(), around.metrics(), progress);
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
      unlessGone(() -> openings.advance(assignment.all()));
      cuts.advance();
      pauseAsAsked();
      unlessGone(this::holdBackWhatIsNotRead);
      pollAndHandOut(pace.next(assignment.all(), consumer.paused()));
      commits.advance(assignment.all());
      history.advance(assignment.all());
      skipped.tell();
      unlessGone(this::askForLag);
      watchdog.look(assignment.all());
      joined = consumer.groupMetadata().generationId() > 0;
      lastTurn = Instant.now();
      errorsInARow = 0;
    } catch (WakeupException e) {
      log.debug("Woken up");
    } catch (OffsetsOfAnotherInstallationException e) {
      // The inbox is not the one that knows what this group has done.
      throw e;
    } catch (KafkaException e) {
      endIfRefusedForGood(e);
      pauseAfter(e);
    }
  }

  /**
   * Takes a step that calls the consumer for one partition after the other. Under the new group
   * protocol the client's own thread takes partitions out of the assignment between a look at it
   * and a call; the callback that says so comes with the next poll.
   */
  private void unlessGone(Runnable step) {
    try {
      step.run();
    } catch (IllegalStateException e) {
      boolean allThere =
          assignment.all().stream()
              .allMatch(held -> consumer.assignment().contains(held.partition()));
      if (allThere) {
        throw e;
      }
      log.debug("A partition went away in the middle of a turn", e);
    }
  }

  private void pollAndHandOut(Duration limit) {
    try {
      // Nothing is fetched, so the poll has no records to wait for.
      handOut(consumer.poll(waitsForRoom ? Duration.ZERO : limit));
      if (waitsForRoom) {
        waitForRoom(limit);
      }
    } catch (OffsetOutOfRangeException e) {
      edges.meet(e);
    }
  }

  private void waitForRoom(Duration limit) {
    try {
      room.await(limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stopping = true;
    }
  }

  /** Begins anew with a partition about which something was wrong. */
  private void restart(HeldPartition held, HeldPartition.Resume why) {
    log.warn(
        "{}: {}; what is not confirmed is thrown away and read again",
        held.partition(),
        why.reason());
    assignment.restart(held, why);
  }

  private void askForLag() {
    // From the client's own fetch answers: no request goes out. Empty until it knows.
    for (HeldPartition held : assignment.all()) {
      held.work().lag(consumer.currentLag(held.partition()));
    }
  }

  /**
   * Under the new group protocol the client throws these once, and then polls for ever without
   * being a member. And where another member runs under this one's group.instance.id, going on
   * would fence it in turn.
   */
  private void endIfRefusedForGood(KafkaException e) {
    if (REFUSED_FOR_GOOD.stream().anyMatch(type -> type.isInstance(e))) {
      ConsumerGroupMetadata group = consumer.groupMetadata();
      throw new MembershipEndedException(group.groupId(), group.groupInstanceId(), e);
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

  /** What people have paused; a new epoch of a partition is paused as the one before was. */
  private void pauseAsAsked() {
    for (HeldPartition held : assignment.all()) {
      if (held.work().paused(pauses.of(held.partition()))) {
        workers.wake(held.work());
      }
    }
  }

  /** Makes the consumer's paused set what memory allows, and what is known about each partition. */
  private void holdBackWhatIsNotRead() {
    // From the live assignment, not from callback arguments: pausing a partition that is no longer
    // owned throws, and Kafka forgets pauses when it assigns anew.
    Set<TopicPartition> paused = consumer.paused();
    Set<TopicPartition> assigned = Set.copyOf(consumer.assignment());
    unannounced.keySet().retainAll(assigned);
    List<HeldPartition> ours = new ArrayList<>();
    for (TopicPartition partition : assigned) {
      if (assignment.held(partition).isPresent() || takesOver(partition)) {
        unannounced.remove(partition);
        assignment.held(partition).ifPresent(ours::add);
      }
    }
    HoldingBack.Held decided = holdingBack.of(ours);
    Set<TopicPartition> hold = decided.held();
    waitsForRoom = decided.untilRoom();
    Set<TopicPartition> toPause = new HashSet<>();
    Set<TopicPartition> toResume = new HashSet<>();
    for (HeldPartition held : ours) {
      TopicPartition partition = held.partition();
      if (hold.contains(partition) && !paused.contains(partition)) {
        toPause.add(partition);
      } else if (!hold.contains(partition) && paused.contains(partition)) {
        toResume.add(partition);
      }
    }
    if (!toPause.isEmpty()) {
      consumer.pause(toPause);
    }
    if (!toResume.isEmpty()) {
      consumer.resume(toResume);
    }
  }

  /**
   * Whether a partition that no callback has announced is ours all the same. Not at once: under the
   * new group protocol one that was revoked a moment ago is still among the assigned, until the
   * client's own thread has taken it out. One that stays would be fetched by nobody, and look
   * healthy.
   */
  private boolean takesOver(TopicPartition partition) {
    long now = System.nanoTime();
    Long since = unannounced.putIfAbsent(partition, now);
    if (since == null || now - since < UNANNOUNCED_FOR.toNanos()) {
      return false;
    }
    log.error("{} is assigned, though no rebalance said so; it is taken over", partition);
    begin(List.of(partition));
    return true;
  }

  private void handOut(ConsumerRecords<byte[], byte[]> polled) {
    polled
        .nextOffsets()
        .forEach(
            (partition, next) -> {
              HeldPartition held = assignment.held(partition).orElse(null);
              if (held == null || !held.isReading()) {
                // Nothing is lost: its reading starts with a seek of its own, here or at its owner.
                log.warn("Records of {} came though it is not read; they are left", partition);
                return;
              }
              handOut(held, polled.records(partition), next);
              workers.wake(held.work());
            });
  }

  /** What is done goes past the lanes, run by run; the first record of a new leader waits. */
  private void handOut(
      HeldPartition held, List<ConsumerRecord<byte[], byte[]>> records, OffsetAndMetadata next) {
    PartitionWork work = held.work();
    List<FetchedRecord> fresh = new ArrayList<>();
    for (int i = 0; i < records.size(); ) {
      ConsumerRecord<byte[], byte[]> record = records.get(i);
      if (held.isOfNewLeader(record)) {
        work.offer(fresh, new OffsetAndMetadata(record.offset()));
        // Records of other partitions follow: nothing thrown here may keep them from their lanes.
        unlessGone(
            () -> {
              // With its epoch: the log may be cut off below it before it is fetched again.
              consumer.seek(
                  held.partition(),
                  new OffsetAndMetadata(record.offset(), record.leaderEpoch(), ""));
              cuts.begin(held, record.offset(), record.leaderEpoch().orElseThrow());
            });
        return;
      }
      int end = held.endOfDone(records, i);
      if (end == i) {
        fresh.add(new FetchedRecord(record, held.topicId()));
        i++;
      } else {
        work.offer(fresh, new OffsetAndMetadata(record.offset()));
        fresh.clear();
        ConsumerRecord<byte[], byte[]> last = records.get(end - 1);
        work.offsets().skipped(record.offset(), last.offset(), last.leaderEpoch());
        skipped.add(held.partition(), record.offset(), last.offset(), end - i);
        i = end;
      }
    }
    work.offer(fresh, next);
  }

  /** Asks the loop to end, what runs by the deadline; safe from any thread. */
  void stop(Deadline deadline) {
    shutdown = deadline;
    stopping = true;
    consumer.wakeup();
    room.ring();
  }

  /** Waits for the end. Returns false if the loop still runs when the time is up. */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** How the loop and its partitions stand; safe from any thread. */
  ConsumerStatus status() {
    return new ConsumerStatus(lastTurn, joined, assignment.statuses());
  }

  /** What people pause; safe from any thread, and takes effect with the next turn. */
  OperatorPauses pauses() {
    return pauses;
  }

  /** Whether this member owns the partition; safe from any thread. */
  boolean owns(TopicPartition partition) {
    return assignment.held(partition).isPresent();
  }

  /** What ended the loop though nobody asked for it, or null. */
  @Nullable Throwable fatal() {
    return fatal;
  }

  private void shutDown() {
    Deadline asked = shutdown;
    // A loop that ended by itself has the whole budget.
    Deadline deadline = asked == null ? Deadline.in(budgets.shutdown()) : asked;
    try {
      giveUp(Set.copyOf(consumer.assignment()), deadline).get(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | ExecutionException | TimeoutException e) {
      log.warn("While letting go of the partitions: {}", Causes.summary(e));
    }
    skipped.close();
    try {
      Duration left = deadline.left();
      Duration least = Duration.ofSeconds(1);
      consumer.close(CloseOptions.timeout(left.compareTo(least) < 0 ? least : left));
    } catch (KafkaException e) {
      log.warn("While closing the Kafka consumer", e);
    }
  }

  /**
   * Lets the running batches end within the budget, commits what is finished, lets go.
   *
   * @return done when the database knows that nothing of them was left in flight
   */
  private Future<?> giveUp(Collection<TopicPartition> partitions, Deadline deadline)
      throws InterruptedException {
    List<HeldPartition> clean = new ArrayList<>(assignment.heldOf(partitions));
    for (HeldPartition busy : assignment.drain(partitions, deadline)) {
      clean.remove(busy);
      log.warn(
          "{} did not finish in time: what runs is rolled back, or found again by the next owner",
          busy.work().unfinished());
    }
    commits.flush(assignment.heldOf(partitions), budgets.commit());
    letGo(partitions);
    return progress.release(clean.stream().flatMap(held -> held.row().stream()).toList());
  }

  private void letGo(Collection<TopicPartition> partitions) {
    assignment.end(partitions);
    skipped.ended(partitions);
    watchdog.ended(partitions);
    pace.ended(partitions);
  }

  private void begin(Collection<TopicPartition> partitions) {
    assignment.add(partitions);
    consumer.pause(partitions);
    // Any position, so that Kafka does not look for one by its own rules: nothing is fetched before
    // the real one is known.
    partitions.forEach(partition -> consumer.seek(partition, 0));
  }

  private final class Rebalances implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      if (!partitions.isEmpty()) {
        log.info("Assigned: {}", partitions);
      }
      begin(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      if (partitions.isEmpty()) {
        return;
      }
      log.info("Revoked: {}", partitions);
      try {
        Future<?> unused = giveUp(partitions, Deadline.in(budgets.drain()));
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
