package io.idembox.runtime;

import static java.util.Objects.requireNonNull;

import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition that this member owns: what the database and Kafka say about it, and the work on it.
 * Used by the poll thread alone, except for the work and its stall.
 *
 * <p>When what was believed about the partition turns out wrong (another topic behind the name, a
 * database that was set back, a log that was cut) its epoch ends and another begins: the work is
 * thrown away, the position is chosen anew.
 */
final class HeldPartition {
  // Pruning reckons in days.
  private static final Duration READ_UNTIL_STEP = Duration.ofSeconds(30);

  /** How far its epoch is. */
  enum Stage {
    /** Nobody was asked yet. */
    NEW,
    /** The database is being asked. */
    OPENING,
    /** The database has answered; Kafka has not. */
    OPENED,
    /** Records are read. */
    READING,
    /** Records of a new leader wait until the database knows that leader. */
    CUTTING
  }

  /**
   * What the epoch before leaves for this one.
   *
   * @param reason why it ended, for the log
   * @param floor from here on everything below the position must be settled
   * @param storedUpTo the database had confirmed everything up to here
   * @param behindCut whether ranges were forgotten on purpose, which are then not read again
   * @param cutFrom where the log was cut off
   */
  record Resume(
      String reason, long floor, long storedUpTo, boolean behindCut, OptionalLong cutFrom) {}

  /** How far the log reached at a moment of the database's clock. */
  private record LogEnd(long offset, Instant at) {}

  private final TopicPartition partition;
  private volatile PartitionWork work;
  private Stage stage = Stage.NEW;
  private @Nullable Resume resume;
  private UUID topicId = TopicIds.UNKNOWN;
  private @Nullable PartitionProgress known;
  private boolean uncleanEnd;
  private OffsetRanges pendingSkipped = OffsetRanges.EMPTY;
  private OffsetRanges pendingLost = OffsetRanges.EMPTY;
  private long floor;
  private long storedUpTo;
  private long committed = -1;
  private @Nullable LogEnd logEnd;

  HeldPartition(TopicPartition partition, PartitionWork work) {
    this.partition = partition;
    this.work = work;
  }

  TopicPartition partition() {
    return partition;
  }

  /** The work of the current epoch. */
  PartitionWork work() {
    return work;
  }

  Stage stage() {
    return stage;
  }

  boolean isReading() {
    return stage == Stage.READING;
  }

  UUID topicId() {
    return topicId;
  }

  /** Whether the database may be believed about offsets: not under a name alone. */
  boolean isTracked() {
    return !topicId.equals(TopicIds.UNKNOWN);
  }

  /** What the database said last; null before its first answer. */
  @Nullable PartitionProgress known() {
    return known;
  }

  /** The same, once it has answered. */
  PartitionProgress progress() {
    return requireNonNull(known, () -> partition + " is not opened");
  }

  Optional<Resume> resume() {
    return Optional.ofNullable(resume);
  }

  long floor() {
    return floor;
  }

  /** Another epoch begins; the work of the one before has ended. */
  void restart(PartitionWork fresh, Resume why) {
    work = fresh;
    resume = why;
    stage = Stage.NEW;
    committed = -1;
    logEnd = null;
  }

  void opening() {
    stage = Stage.OPENING;
  }

  /** Nobody knows the answer: to be asked again. */
  void notOpened() {
    stage = Stage.NEW;
  }

  void opened(AsyncProgress.Opened opened) {
    if (!opened.topicId().equals(topicId)) {
      resume = null;
      pendingSkipped = OffsetRanges.EMPTY;
      pendingLost = OffsetRanges.EMPTY;
    }
    topicId = opened.topicId();
    known = opened.progress();
    uncleanEnd |= opened.uncleanEnd();
    stage = Stage.OPENED;
  }

  /** Reading starts. The log end bounds what the holder before may have had in its hands. */
  void reads(StartDecision decision, long logEnd) {
    work.offsets().startAt(decision.position());
    if (uncleanEnd) {
      work.uncleanStart(logEnd);
    }
    uncleanEnd = false;
    floor = decision.floor();
    storedUpTo = Math.min(decision.position().offset(), progress().settled().firstGapFrom(floor));
    pendingSkipped = pendingSkipped.plus(decision.skipped());
    pendingLost = pendingLost.plus(decision.lost());
    resume = null;
    stage = Stage.READING;
  }

  /** Our own commit stands at this offset already. */
  void committed(long offset) {
    committed = Math.max(committed, offset);
  }

  long committed() {
    return committed;
  }

  OffsetRanges pendingSkipped() {
    return pendingSkipped;
  }

  OffsetRanges pendingLost() {
    return pendingLost;
  }

  /** Its row in the database, once it is opened. */
  Optional<InboxPartition> row() {
    return Optional.ofNullable(known).map(PartitionProgress::partition);
  }

  /** Whether the database was not told of the leader that wrote the record. */
  boolean isOfNewLeader(ConsumerRecord<?, ?> record) {
    return isTracked() && record.leaderEpoch().orElse(-1) > progress().leaderEpoch();
  }

  /** Where the run of records known to be done ends that begins at this index. */
  int endOfDone(List<ConsumerRecord<byte[], byte[]>> records, int from) {
    return isTracked()
        ? DoneRuns.end(records, from, progress().done(), progress().leaderEpoch())
        : from;
  }

  void cutting() {
    stage = Stage.CUTTING;
  }

  /** The database knows the new leader. */
  void cut(PartitionProgress answer) {
    known = answer;
    stage = Stage.READING;
  }

  /** The database was told, and knows at least this. */
  void stored(PartitionProgress answer, FinishedOffsets.Finished told) {
    work.offsets().stored(told);
    pendingSkipped = pendingSkipped.minus(answer.skipped());
    pendingLost = pendingLost.minus(answer.lost());
    storedUpTo = Math.max(storedUpTo, told.next().offset());
    if (readUntil(told.next().offset()) != null) {
      logEnd = null;
    }
    seen(answer);
  }

  /** The log reached up to here at this moment; kept until it is passed, so that it is. */
  void endSeen(long offset, Instant at) {
    Instant told = progress().readUntil();
    if (logEnd == null && (told == null || told.plus(READ_UNTIL_STEP).isBefore(at))) {
      logEnd = new LogEnd(offset, at);
    }
  }

  /** Up to when the partition is read, once everything below the offset is finished. */
  @Nullable Instant readUntil(long finished) {
    return logEnd != null && finished >= logEnd.offset() ? logEnd.at() : null;
  }

  /** An answer of the database, unless a later cut has made it old. */
  void seen(PartitionProgress answer) {
    if (answer.leaderEpoch() >= progress().leaderEpoch()
        && answer.generation() >= progress().generation()) {
      known = answer;
    }
  }

  /** All that was told before is in this answer, up to where it was told. */
  boolean isCoveredBy(PartitionProgress answer, long upTo) {
    return answer.settled().covers(floor, upTo);
  }

  long storedUpTo() {
    return storedUpTo;
  }

  /** The offset with all that it must say about itself. */
  OffsetAndMetadata withMetadata(OffsetAndMetadata next, UUID installation) {
    CommitMetadata metadata =
        new CommitMetadata(installation, topicId, progress().generation(), floor);
    return new OffsetAndMetadata(next.offset(), next.leaderEpoch(), metadata.text());
  }

  /** Something holds the whole partition up; keeps the time of the first report. */
  void stalled(Stall.Reason reason, String detail) {
    Stall before = work.outerStall();
    Stall now =
        before != null && before.reason() == reason
            ? new Stall(reason, detail, before.since(), before.failures() + 1)
            : new Stall(reason, detail, Instant.now(), 1);
    work.outerStall(now);
  }

  void moves() {
    work.outerStall(null);
  }
}
