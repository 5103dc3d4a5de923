package io.idembox.runtime;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Up to where the work on one partition is finished without a gap, whatever order it finishes in.
 * Walks the offsets that were delivered, never counts up: transactions and compaction leave holes.
 * Not thread-safe.
 */
final class FinishedOffsets {
  private final ArrayDeque<Delivered> unfinished = new ArrayDeque<>();
  private final Set<Long> finishedAhead = new HashSet<>();
  private @Nullable OffsetAndMetadata polled;
  private @Nullable OffsetAndMetadata finished;

  /** What is kept of a record: payloads are let go with their batch. */
  private record Delivered(long offset, Optional<Integer> leaderEpoch) {}

  /** A record was delivered; offsets come in ascending order. */
  void delivered(FetchedRecord fetched) {
    unfinished.add(new Delivered(fetched.offset(), fetched.record().leaderEpoch()));
  }

  /** The position behind everything delivered so far, gaps included. */
  void polledUpTo(OffsetAndMetadata next) {
    polled = next;
    if (unfinished.isEmpty()) {
      finished = next;
    }
  }

  /** One record is finished. */
  void finish(long offset) {
    Delivered head = unfinished.peek();
    if (head == null || head.offset() != offset) {
      finishedAhead.add(offset);
      return;
    }
    Delivered last = unfinished.remove();
    while ((head = unfinished.peek()) != null && finishedAhead.remove(head.offset())) {
      last = unfinished.remove();
    }
    finished =
        head == null ? polled : new OffsetAndMetadata(last.offset() + 1, last.leaderEpoch(), "");
  }

  /** What may be committed, or null if nothing was finished yet. */
  @Nullable OffsetAndMetadata finished() {
    return finished;
  }

  /** How many offsets lie between what may be committed and what was polled. */
  int open() {
    return unfinished.size();
  }

  void clear() {
    unfinished.clear();
    finishedAhead.clear();
    finished = null;
  }
}
