package io.idembox.runtime;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One partition during one assignment: the records that wait in its lanes, and the offset up to
 * which the work is finished. Thread-safe.
 *
 * <p>The poll thread hands records in and reads what may be committed; workers take batches. When
 * the assignment ends this object ends with it, and what a late worker says to it has no effect:
 * the same partition assigned again is another object.
 */
final class PartitionWork {
  private static final Object WHOLE_PARTITION = "partition";
  // Finished records behind a stuck one keep a few bytes each; their payloads are gone.
  private static final int MOST_OPEN_OFFSETS = 100_000;
  // Lanes share batches that the partition's pace bounds; one that is alone begins with as many.
  private static final int FIRST_OF_A_LANE = 64;

  private final TopicPartition partition;
  private final LaneLimits limits;
  private final Runnable onRoom;
  private final int turnsAtOnce;
  private final Map<Object, Lane> lanes = new HashMap<>();
  private final ArrayDeque<Lane> ready = new ArrayDeque<>();
  private final FinishedOffsets offsets = new FinishedOffsets();
  private final BatchSize batchSize;
  private int queuedRecords;
  private long queuedBytes;
  private long worked;
  private int turns;
  private OptionalLong lag = OptionalLong.empty();
  private OptionalLong carefulBelow = OptionalLong.empty();
  private boolean offered;
  private volatile @Nullable Stall outerStall;
  private volatile long unstable;
  private @Nullable Stall paused;
  private volatile boolean open = true;
  private volatile boolean ended;

  PartitionWork(TopicPartition partition, LaneLimits limits) {
    this(partition, limits, () -> {});
  }

  /**
   * As the other.
   *
   * @param onRoom called on a worker's thread when what waits was too much, and no longer is
   */
  PartitionWork(TopicPartition partition, LaneLimits limits, Runnable onRoom) {
    this.partition = partition;
    this.onRoom = onRoom;
    this.limits = limits;
    this.turnsAtOnce = limits.ordering() == Ordering.PARTITION ? 1 : limits.concurrency();
    this.batchSize = newBatchSize(limits.firstBatch());
  }

  private BatchSize newBatchSize(int first) {
    return new BatchSize(limits.batchRecords(), limits.transactionTarget(), first);
  }

  TopicPartition partition() {
    return partition;
  }

  /** What was delivered and what of it is finished; runs that are skipped go there directly. */
  FinishedOffsets offsets() {
    return offsets;
  }

  /**
   * The holder before did not release the partition: what it had in its hands lies between the
   * first record offered and this offset. Said before the first record is.
   */
  synchronized void uncleanStart(long logEnd) {
    carefulBelow = OptionalLong.of(logEnd);
  }

  /** Where what may have been in flight at an unclean end ends; empty after a clean one. */
  synchronized OptionalLong carefulBelow() {
    return carefulBelow;
  }

  /**
   * Whether a record may have been in the hands of a holder that ended uncleanly, and may be why it
   * did: it runs alone, and its attempt is noted before.
   */
  private boolean isCareful(Optional<FetchedRecord> first) {
    return carefulBelow.isPresent()
        && first.isPresent()
        && first.get().offset() < carefulBelow.getAsLong();
  }

  /** What holds the whole partition up, seen from outside of the lanes; null for nothing. */
  void outerStall(@Nullable Stall stall) {
    outerStall = stall;
  }

  @Nullable Stall outerStall() {
    return outerStall;
  }

  /**
   * No further batch starts while somebody has paused the partition; one that runs may end.
   *
   * @param pause null to go on
   * @return whether it was paused until now and goes on: workers are to be woken
   */
  synchronized boolean paused(@Nullable Stall pause) {
    boolean goesOn = paused != null && pause == null;
    paused = pause;
    return goesOn;
  }

  /** Takes fetched records in; {@code next} is the position behind them, gaps included. */
  synchronized void offer(List<FetchedRecord> records, OffsetAndMetadata next) {
    if (!offered && !records.isEmpty()) {
      offered = true;
      boundCare(records.get(0).offset());
    }
    for (FetchedRecord fetched : records) {
      offsets.delivered(fetched);
      queuedBytes += fetched.size();
      Lane lane =
          lanes.computeIfAbsent(
              laneOf(fetched), name -> new Lane(name, newBatchSize(FIRST_OF_A_LANE)));
      lane.add(fetched);
      if (lane.state == Lane.State.EMPTY) {
        becomeReady(lane);
      }
    }
    queuedRecords += records.size();
    offsets.polledUpTo(next);
  }

  /** No holder had more in its hands than may wait in lanes. */
  private void boundCare(long firstOffset) {
    if (carefulBelow.isPresent()) {
      carefulBelow =
          OptionalLong.of(Math.min(carefulBelow.getAsLong(), firstOffset + limits.queuedRecords()));
    }
  }

  private Object laneOf(FetchedRecord fetched) {
    byte[] key = fetched.key();
    return switch (limits.ordering()) {
      case PARTITION -> WHOLE_PARTITION;
      case KEY -> key == null ? fetched.offset() % limits.concurrency() : ByteBuffer.wrap(key);
      case NONE -> fetched.offset() % limits.concurrency();
    };
  }

  /** Whether no more records should be fetched for now. */
  boolean isFull() {
    return isFull(limits.queuedBytes());
  }

  /**
   * The same, where the partition's share of the memory is what it is.
   *
   * @param shareBytes counts if it is less than the limit of one partition
   */
  synchronized boolean isFull(long shareBytes) {
    return queuedRecords >= limits.queuedRecords()
        || queuedBytes >= Math.min(limits.queuedBytes(), shareBytes)
        || offsets.open() >= MOST_OPEN_OFFSETS;
  }

  /** Whether another worker should be sent; if so, its turn has begun. */
  synchronized boolean tryStartTurn() {
    if (!open || paused != null || ready.isEmpty() || turns >= turnsAtOnce) {
      return false;
    }
    turns++;
    return true;
  }

  /** As the other, with no other limit than the pace. */
  Optional<Batch> nextBatch() {
    return nextBatch(Integer.MAX_VALUE);
  }

  /**
   * The batch of a worker whose turn has begun. Empty means that there is nothing to do, and that
   * the turn is over.
   *
   * @param most records that it may hold
   */
  synchronized Optional<Batch> nextBatch(int most) {
    if (!open || paused != null || ready.isEmpty()) {
      endTurn();
      return Optional.empty();
    }
    boolean careful = isCareful(ready.peek().first());
    int limit = careful ? 1 : Math.min(most, batchSize.limit());
    // An equal share of the lanes for each worker that could be sent, so that they all have work.
    int mostLanes = Math.max(1, ready.size() / turnsAtOnce);
    List<FetchedRecord> records = new ArrayList<>();
    List<Batch.Part> parts = new ArrayList<>();
    long bytes = 0;
    while (!ready.isEmpty()
        && parts.size() < mostLanes
        && records.size() < limit
        && bytes < limits.batchBytes()
        && (parts.isEmpty() || mayShare(ready.peek()))) {
      Lane lane = ready.remove();
      int from = records.size();
      int taken = lane.copyTo(records, limit - from, limits.batchBytes() - bytes);
      lane.state = Lane.State.RUNNING;
      parts.add(new Batch.Part(lane, taken));
      for (FetchedRecord fetched : records.subList(from, from + taken)) {
        bytes += fetched.size();
      }
      if (lane.isAlone()) {
        break;
      }
    }
    if (parts.size() > 1) {
      records.sort(Comparator.comparingLong(FetchedRecord::offset));
    }
    return Optional.of(new Batch(this, records, parts, careful));
  }

  private boolean mayShare(Lane lane) {
    return !lane.isAlone() && !isCareful(lane.first());
  }

  /** The whole batch was committed, and each of its effects is settled or owed by the journal. */
  void finish(Batch batch, Duration transactionTook) {
    finish(batch, batch.size(), transactionTook);
  }

  /**
   * A batch was committed, or the first part of it; the records behind that part are at the heads
   * of their lanes again.
   *
   * @param covered how many of its records
   */
  void finish(Batch batch, int covered, Duration transactionTook) {
    if (finishes(batch, covered, transactionTook)) {
      onRoom.run();
    }
  }

  /** Whether the partition was full, and has room now. */
  private synchronized boolean finishes(Batch batch, int covered, Duration transactionTook) {
    if (ended) {
      return false;
    }
    boolean wasFull = isFull();
    batchSize.committed(covered, transactionTook);
    Map<Object, Integer> ofLane = new HashMap<>();
    for (FetchedRecord fetched : batch.records().subList(0, covered)) {
      offsets.finish(fetched.offset());
      queuedBytes -= fetched.size();
      if (covered < batch.size()) {
        ofLane.merge(laneOf(fetched), 1, Integer::sum);
      }
    }
    queuedRecords -= covered;
    worked += covered;
    for (Batch.Part part : batch.parts()) {
      Lane lane = part.lane();
      int finished = covered == batch.size() ? part.records() : ofLane.getOrDefault(lane.name(), 0);
      lane.finish(finished);
      if (batch.isOfOneLane()) {
        lane.paceOf(finished, transactionTook);
      }
      release(lane);
    }
    return wasFull && !isFull();
  }

  /** The batch's only record is a dead letter: its lane goes on behind it. */
  void giveUp(Batch batch) {
    // As long as it should take, so that it tells nothing about the pace.
    finish(batch, batch.size(), limits.transactionTarget());
  }

  /** The batch failed through one known record: its lane goes on alone, up to that record. */
  synchronized void splitAt(Batch batch, int index) {
    Object culprit = laneOf(batch.records().get(index));
    int before = 0;
    for (FetchedRecord fetched : batch.records().subList(0, index)) {
      before += laneOf(fetched).equals(culprit) ? 1 : 0;
    }
    for (Batch.Part part : batch.parts()) {
      if (part.lane().name().equals(culprit)) {
        part.lane().splitAt(before);
      }
    }
  }

  /**
   * The batch failed and nobody knows through which record: its lanes go on one by one, or halved.
   */
  synchronized void split(Batch batch) {
    for (Batch.Part part : batch.parts()) {
      if (batch.isOfOneLane()) {
        part.lane().split(part.records());
      } else {
        part.lane().separate();
      }
    }
  }

  /** Counts a failure that calls for a pause. Returns how many there were in a row. */
  synchronized int fail(Batch batch, Stall.Reason reason, String detail) {
    int most = 0;
    for (Batch.Part part : batch.parts()) {
      most = Math.max(most, part.lane().fail(reason, detail));
    }
    return most;
  }

  /** The batch waits, through no failure of its records. */
  synchronized void stalled(Batch batch, Stall.Reason reason, String detail) {
    batch.parts().forEach(part -> part.lane().stalled(reason, detail));
  }

  /** The batch's only record met a failing server; returns what is known about it. */
  synchronized Lane.Outages outageOfOne(Batch batch, long successes) {
    return batch.parts().get(0).lane().outageOfFirst(successes);
  }

  /** The batch failed and its lanes wait for a while, until {@link #giveBack}. */
  synchronized void pause(Batch batch) {
    for (Batch.Part part : batch.parts()) {
      part.lane().state = Lane.State.PAUSED;
    }
  }

  /** The batch failed and its records may be taken again. */
  synchronized void giveBack(Batch batch) {
    if (!ended) {
      batch.parts().forEach(part -> release(part.lane()));
    }
  }

  private void release(Lane lane) {
    if (lane.isEmpty()) {
      lanes.remove(lane.name());
    } else {
      becomeReady(lane);
    }
  }

  private void becomeReady(Lane lane) {
    lane.state = Lane.State.READY;
    ready.add(lane);
  }

  /** Gives a turn back. */
  synchronized void endTurn() {
    turns--;
    notifyAll();
  }

  /** Whether further work may begin: false once the partition is about to go. */
  boolean isOpen() {
    return open;
  }

  /** No further batch starts. Batches that run may finish. */
  synchronized void stop() {
    open = false;
  }

  /** Waits until no batch runs. Returns false if one still does when the time is up. */
  synchronized boolean awaitIdle(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (turns > 0) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
    }
    return true;
  }

  /** The assignment is over: nothing that still runs may commit, here or in Kafka. */
  synchronized void end() {
    open = false;
    ended = true;
    lanes.clear();
    ready.clear();
    offsets.clear();
    queuedRecords = 0;
    queuedBytes = 0;
  }

  boolean hasEnded() {
    return ended;
  }

  /** What may be committed, if anything was finished in this assignment. */
  synchronized Optional<OffsetAndMetadata> finished() {
    return ended ? Optional.empty() : Optional.ofNullable(offsets.finished());
  }

  /** The batches that run, by their first record, for the log. */
  synchronized String unfinished() {
    List<String> running = new ArrayList<>();
    for (Lane lane : lanes.values()) {
      if (lane.state == Lane.State.RUNNING) {
        lane.first().ifPresent(first -> running.add(Coordinates.of(first.record())));
      }
    }
    return running.isEmpty() ? partition.toString() : String.join(", ", running);
  }

  /** How many fetched records are not finished. */
  synchronized int queued() {
    return queuedRecords;
  }

  /** How many records were finished in this epoch. */
  synchronized long worked() {
    return worked;
  }

  /** What the log holds beyond what was fetched, as Kafka last said. */
  synchronized void lag(OptionalLong records) {
    lag = records;
  }

  /** The same; empty while Kafka has not said. */
  synchronized OptionalLong lag() {
    return lag;
  }

  /**
   * What lies behind that, since a producer's transaction is open, as was seen at the last look.
   */
  void unstable(long records) {
    unstable = records;
  }

  long unstable() {
    return unstable;
  }

  synchronized PartitionStatus status() {
    Optional<Stall> longest =
        lanes.values().stream()
            .flatMap(lane -> lane.stall().stream())
            .min(Comparator.comparing(Stall::since));
    Optional<Instant> oldest =
        lanes.values().stream()
            .flatMap(lane -> lane.first().stream())
            .min(Comparator.comparingLong(FetchedRecord::offset))
            .map(first -> Instant.ofEpochMilli(first.record().timestamp()));
    OffsetAndMetadata finished = offsets.finished();
    return new PartitionStatus(
        partition.topic(),
        partition.partition(),
        finished == null ? OptionalLong.empty() : OptionalLong.of(finished.offset()),
        lag,
        queuedRecords,
        oldest,
        Optional.ofNullable(paused).or(() -> longest).or(() -> Optional.ofNullable(outerStall)));
  }
}
