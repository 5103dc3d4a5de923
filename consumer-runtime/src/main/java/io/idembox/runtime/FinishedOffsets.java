package io.idembox.runtime;

import io.idembox.inbox.OffsetRanges;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Up to where the work on one partition is finished without a gap, whatever order it finishes in.
 * Walks the offsets that were delivered, never counts up: transactions and compaction leave holes.
 *
 * <p>It also knows what of it the database has still to be told: offsets of records that were
 * worked on, and holes. Offsets that were skipped because the database said that they are done are
 * not among them, since a database that has lost them must not get them back from its own answer.
 *
 * <p>Thread-safe.
 */
final class FinishedOffsets {
  private static final long NOWHERE = -1;

  private final ArrayDeque<Span> spans = new ArrayDeque<>();
  private final Set<Long> finishedAhead = new HashSet<>();
  private int open;
  private long expected = NOWHERE;
  // What is finished, as its parts: the object that Kafka wants is made when somebody asks, not for
  // each record.
  private long finishedUpTo = NOWHERE;
  private Optional<Integer> finishedEpoch = Optional.empty();
  private OffsetRanges done = OffsetRanges.EMPTY;
  private OffsetRanges lost = OffsetRanges.EMPTY;
  // The end of done, while it grows record by record: adding each to a set would copy the set.
  private long runFrom = NOWHERE;
  private long runTo = NOWHERE;

  private enum Kind {
    /** A record, and the hole before it. */
    RECORD,
    /** No record. */
    HOLE,
    /** Records that the database knows to be done. */
    SKIPPED,
    /** Records that Kafka dropped before they were read. */
    LOST
  }

  /**
   * What is kept of a stretch of the log: payloads are let go with their batch. Records that follow
   * each other without a hole share one, which shrinks as they are finished.
   */
  private static final class Span {
    private final Kind kind;
    private final Optional<Integer> leaderEpoch;
    private long from;
    // The first record in it, behind the hole before it.
    private long record;
    private long next;

    Span(Kind kind, long from, long next, Optional<Integer> leaderEpoch) {
      this.kind = kind;
      this.leaderEpoch = leaderEpoch;
      this.from = from;
      this.record = next - 1;
      this.next = next;
    }

    boolean continuesWith(long offset, Optional<Integer> epoch) {
      return kind == Kind.RECORD && next == offset && leaderEpoch.equals(epoch);
    }
  }

  /**
   * What is finished, and what of it the database was not told yet.
   *
   * @param next what may be committed once the database knows it all
   */
  record Finished(OffsetAndMetadata next, OffsetRanges done, OffsetRanges lost) {}

  /** Reading starts here: everything below is none of this assignment's business. */
  synchronized void startAt(OffsetAndMetadata position) {
    expected = position.offset();
    finishedUpTo = position.offset();
    finishedEpoch = position.leaderEpoch();
  }

  /** A record was delivered, to be worked on; offsets come in ascending order. */
  synchronized void delivered(FetchedRecord fetched) {
    long offset = fetched.offset();
    Optional<Integer> leaderEpoch = fetched.record().leaderEpoch();
    Span last = spans.peekLast();
    if (last != null && expected == offset && last.continuesWith(offset, leaderEpoch)) {
      last.next = offset + 1;
      expected = offset + 1;
      open++;
    } else {
      add(Kind.RECORD, offset + 1, leaderEpoch);
    }
  }

  /** Records were delivered that the database knows to be done, and nobody works on them. */
  synchronized void skipped(long first, long last, Optional<Integer> leaderEpoch) {
    if (expected != NOWHERE && expected < first) {
      add(Kind.HOLE, first, Optional.empty());
    }
    expected = first;
    add(Kind.SKIPPED, last + 1, leaderEpoch);
  }

  /** Kafka has nothing below this offset any more, though it was not read. */
  synchronized void lostUpTo(long begin) {
    if (expected < begin) {
      add(Kind.LOST, begin, Optional.empty());
    }
  }

  /** The position behind everything delivered so far, holes included. */
  synchronized void polledUpTo(OffsetAndMetadata next) {
    if (expected == NOWHERE) {
      expected = next.offset();
      finishedUpTo = next.offset();
      finishedEpoch = next.leaderEpoch();
    } else if (expected < next.offset()) {
      add(Kind.HOLE, next.offset(), next.leaderEpoch());
    }
  }

  private void add(Kind kind, long next, Optional<Integer> leaderEpoch) {
    long from = expected == NOWHERE ? next - 1 : expected;
    spans.add(new Span(kind, from, next, leaderEpoch));
    open++;
    expected = next;
    pass();
  }

  /** One record is finished. */
  synchronized void finish(long offset) {
    Span head = spans.peek();
    if (head != null && head.kind == Kind.RECORD && head.record == offset) {
      // In order, as nearly all are: it need not be remembered to be found again.
      passRecord(head);
    } else {
      finishedAhead.add(offset);
    }
    pass();
  }

  private void pass() {
    Span head;
    while ((head = spans.peek()) != null) {
      if (head.kind != Kind.RECORD) {
        pass(spans.remove());
      } else if (!finishedAhead.isEmpty() && finishedAhead.remove(head.record)) {
        passRecord(head);
      } else {
        return;
      }
    }
  }

  /** The first record of a stretch is finished, and the hole before it. */
  private void passRecord(Span head) {
    open--;
    finishedUpTo = head.record + 1;
    finishedEpoch = head.leaderEpoch;
    addDone(head.from, finishedUpTo);
    head.from = finishedUpTo;
    head.record = finishedUpTo;
    if (head.from == head.next) {
      spans.remove();
    }
  }

  private void pass(Span span) {
    open--;
    finishedUpTo = span.next;
    finishedEpoch = span.leaderEpoch;
    if (span.kind == Kind.LOST) {
      lost = lost.plus(span.from, span.next);
    } else if (span.kind != Kind.SKIPPED) {
      addDone(span.from, span.next);
    }
  }

  private void addDone(long from, long next) {
    if (runTo != from) {
      foldRun();
      runFrom = from;
    }
    runTo = next;
  }

  private void foldRun() {
    if (runTo != NOWHERE) {
      done = done.plus(runFrom, runTo);
      runTo = NOWHERE;
    }
  }

  /** What may be committed, or null if nothing was finished yet. */
  synchronized @Nullable OffsetAndMetadata finished() {
    return finishedUpTo == NOWHERE ? null : new OffsetAndMetadata(finishedUpTo, finishedEpoch, "");
  }

  /** The offset that is expected next; -1 before reading has started. */
  synchronized long position() {
    return expected;
  }

  /** As it stands now; empty before reading has started. */
  synchronized Optional<Finished> snapshot() {
    OffsetAndMetadata finished = finished();
    if (finished == null) {
      return Optional.empty();
    }
    foldRun();
    return Optional.of(new Finished(finished, done, lost));
  }

  /** The database knows all of an earlier snapshot. */
  synchronized void stored(Finished snapshot) {
    foldRun();
    done = done.minus(snapshot.done());
    lost = lost.minus(snapshot.lost());
  }

  /** How many records and holes lie between what may be committed and what was polled. */
  synchronized int open() {
    return open;
  }

  synchronized void clear() {
    spans.clear();
    open = 0;
    finishedAhead.clear();
    finishedUpTo = NOWHERE;
    finishedEpoch = Optional.empty();
    expected = NOWHERE;
    done = OffsetRanges.EMPTY;
    lost = OffsetRanges.EMPTY;
    runTo = NOWHERE;
  }
}
