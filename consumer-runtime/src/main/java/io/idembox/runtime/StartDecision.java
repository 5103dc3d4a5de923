package io.idembox.runtime;

import io.idembox.inbox.OffsetRanges;
import io.idembox.inbox.PartitionProgress;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Where the reading of a partition starts, and why.
 *
 * @param position the offset, with its leader epoch where that is known
 * @param floor everything from here up to the position is settled, once what is given here as
 *     skipped and lost is stored
 * @param skipped offsets that somebody jumped on purpose
 * @param lost offsets that Kafka dropped before they were read
 */
record StartDecision(
    Kind kind, OffsetAndMetadata position, long floor, OffsetRanges skipped, OffsetRanges lost) {

  /** Why. */
  enum Kind {
    /** At our own committed offset. */
    CONTINUED,
    /** Nothing was ever read: where the settings say. */
    FIRST_START,
    /** No offset of ours is left in Kafka, but the database knows what is done. */
    FROM_PROGRESS,
    /** The database knows less than our commit says: it was set back. */
    HISTORY_LOST,
    /** Ranges were forgotten on purpose since our commit. */
    FORGOTTEN,
    /** Somebody else moved the offset. */
    MOVED,
    /** The member itself found that it must read again; it has said why. */
    RESUMED
  }

  /** What Kafka says about a partition. */
  record Log(UUID topicId, long begin, @Nullable OffsetAndMetadata committed) {}

  /**
   * Decides.
   *
   * @param adopt whether offsets of another installation are taken over
   * @param firstStart where to start if nothing was ever read
   * @throws OffsetsOfAnotherInstallationException if they are not to be taken over, but are there
   */
  static StartDecision of(
      PartitionProgress stored,
      Log log,
      UUID installation,
      boolean adopt,
      LongSupplier firstStart) {
    OffsetAndMetadata committed = log.committed();
    if (committed == null) {
      return withoutCommit(stored, log, firstStart);
    }
    Optional<CommitMetadata> ours = CommitMetadata.parse(committed.metadata());
    if (ours.isPresent() && !ours.get().topicId().equals(log.topicId())) {
      // The topic was made again: an offset of the one before says nothing about it.
      return withoutCommit(stored, log, firstStart);
    }
    if (ours.isPresent() && !ours.get().installation().equals(installation) && !adopt) {
      throw new OffsetsOfAnotherInstallationException(ours.get().installation(), installation);
    }
    return ours.filter(metadata -> metadata.installation().equals(installation))
        .map(metadata -> atOurs(stored, log, committed, metadata))
        .orElseGet(() -> atForeign(stored, log, committed));
  }

  /** Where only a topic's name is known, the database's ranges may be another topic's. */
  static StartDecision ofUntracked(Log log, LongSupplier firstStart) {
    OffsetAndMetadata committed = log.committed();
    OffsetAndMetadata position =
        committed == null ? new OffsetAndMetadata(firstStart.getAsLong()) : committed;
    return new StartDecision(
        committed == null ? Kind.FIRST_START : Kind.CONTINUED,
        position,
        position.offset(),
        OffsetRanges.EMPTY,
        OffsetRanges.EMPTY);
  }

  /**
   * The member goes on by itself, at the first offset that is not settled.
   *
   * @param cut whether Kafka has just said where the log was cut off, and the stored leader epoch
   *     stands for whoever cut it
   */
  static StartDecision resumed(
      long wanted, long floor, boolean cut, PartitionProgress stored, Log log) {
    OffsetAndMetadata position =
        cut ? new OffsetAndMetadata(wanted) : behindWhatIsDone(wanted, stored);
    return at(Kind.RESUMED, position, floor, OffsetRanges.EMPTY, stored, log);
  }

  private static StartDecision withoutCommit(
      PartitionProgress stored, Log log, LongSupplier firstStart) {
    OffsetRanges settled = stored.settled();
    if (!settled.isEmpty()) {
      long wanted = settled.firstGapFrom(Math.min(settled.lowest(), log.begin()));
      return at(
          Kind.FROM_PROGRESS,
          behindWhatIsDone(wanted, stored),
          log.begin(),
          OffsetRanges.EMPTY,
          stored,
          log);
    }
    long position = firstStart.getAsLong();
    OffsetRanges jumped = OffsetRanges.of(Math.min(log.begin(), position), position);
    return at(Kind.FIRST_START, new OffsetAndMetadata(position), log.begin(), jumped, stored, log);
  }

  private static StartDecision atOurs(
      PartitionProgress stored, Log log, OffsetAndMetadata committed, CommitMetadata metadata) {
    if (metadata.generation() < stored.generation()) {
      return at(Kind.FORGOTTEN, committed, committed.offset(), OffsetRanges.EMPTY, stored, log);
    }
    long floor = Math.min(committed.offset(), Math.max(metadata.floor(), log.begin()));
    long uncovered = Math.min(committed.offset(), stored.settled().firstGapFrom(floor));
    boolean known = metadata.generation() == stored.generation() && uncovered == committed.offset();
    return known
        ? at(Kind.CONTINUED, committed, floor, OffsetRanges.EMPTY, stored, log)
        : at(
            Kind.HISTORY_LOST,
            behindWhatIsDone(uncovered, stored),
            floor,
            OffsetRanges.EMPTY,
            stored,
            log);
  }

  private static StartDecision atForeign(
      PartitionProgress stored, Log log, OffsetAndMetadata committed) {
    long from = Math.min(log.begin(), committed.offset());
    OffsetRanges jumped = OffsetRanges.of(from, committed.offset()).minus(stored.settled());
    return at(Kind.MOVED, committed, from, jumped, stored, log);
  }

  /**
   * With the highest leader epoch that what is done below was read under: Kafka then compares it
   * with its log before it gives out a record, and says so if the log was cut off below. Without,
   * the first record of the new leader at this very offset would be taken for where its epoch
   * began.
   */
  private static OffsetAndMetadata behindWhatIsDone(long offset, PartitionProgress stored) {
    Optional<Integer> epoch =
        stored.leaderEpoch() < 0 ? Optional.empty() : Optional.of(stored.leaderEpoch());
    return new OffsetAndMetadata(offset, epoch, "");
  }

  /** What Kafka dropped between the wanted offset and the begin of its log is lost. */
  private static StartDecision at(
      Kind kind,
      OffsetAndMetadata wanted,
      long floor,
      OffsetRanges skipped,
      PartitionProgress stored,
      Log log) {
    if (wanted.offset() >= log.begin()) {
      return new StartDecision(kind, wanted, floor, skipped, OffsetRanges.EMPTY);
    }
    OffsetRanges gone = OffsetRanges.of(wanted.offset(), log.begin()).minus(stored.settled());
    return new StartDecision(
        kind, new OffsetAndMetadata(log.begin()), Math.min(floor, log.begin()), skipped, gone);
  }
}
