package io.idembox.inbox;

import io.idembox.inbox.TopicModel.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A member that does with one partition what a consumer runtime does, one step at a time. */
final class MemberModel {
  private final ConsumerInbox inbox;
  private final TopicModel topic;
  private final MessageIdResolver resolver = MessageIdResolver.defaults();
  private final List<Fetched> buffer = new ArrayList<>();
  private UUID topicId = new UUID(0, 0);
  private PartitionProgress known;
  private OffsetRanges finished = OffsetRanges.EMPTY;
  private long position;
  private int positionEpoch;
  private int timeline;
  private Instant sawEndAt;
  private long sawEnd;

  /** A record in hand, with what the member believed when it got it. */
  private record Fetched(long offset, Entry entry, UUID topicId) {}

  MemberModel(ConsumerInbox inbox, TopicModel topic) {
    this.inbox = inbox;
    this.topic = topic;
    assign();
  }

  /** A start, or a restart: whatever was in hand is gone. */
  void assign() {
    topicId = topic.id();
    known = read();
    buffer.clear();
    finished = OffsetRanges.EMPTY;
    timeline = known.serverTimeline();
    seek(known.settled().firstGapFrom(0));
  }

  void rewind() {
    if (topicId.equals(topic.id())) {
      buffer.clear();
      seek(0);
    }
  }

  private void seek(long offset) {
    position = offset;
    positionEpoch = known.leaderEpoch();
    sawEndAt = null;
  }

  /** What it remembers of the database's clock is older by so much. */
  void timePassed(Duration time) {
    sawEndAt = sawEndAt == null ? null : sawEndAt.minus(time);
    known =
        new PartitionProgress(
            known.partition(),
            known.done(),
            known.lost(),
            known.skipped(),
            known.generation(),
            known.leaderEpoch(),
            known.timeline(),
            known.serverTimeline(),
            known.readUntil(),
            known.open(),
            known.databaseTime().minus(time));
  }

  /** Takes records in hand. A member of the topic that was deleted gets none. */
  void fetch(int count) {
    if (!topicId.equals(topic.id())) {
      return;
    }
    if (!validate()) {
      return;
    }
    if (sawEndAt == null) {
      sawEndAt = known.databaseTime();
      sawEnd = topic.size();
    }
    for (int i = 0; i < count && position < topic.size(); i++) {
      Entry entry = topic.at(position);
      if (entry.epoch() > known.leaderEpoch() && !cut(position, entry.epoch())) {
        return;
      }
      if (!known.done().contains(position)) {
        buffer.add(new Fetched(position, entry, topicId));
      }
      positionEpoch = entry.epoch();
      position++;
    }
  }

  /**
   * What a Kafka consumer does with its position and the epoch of the record before it. The
   * position that it ends with is looked at in the same way, by the next fetch.
   *
   * @return whether the log is still the one that the position belongs to, or was cut to it
   */
  private boolean validate() {
    long diverging = topic.endOf(positionEpoch);
    if (diverging >= position) {
      return true;
    }
    if (!cut(diverging, topic.epoch())) {
      return false;
    }
    seek(Math.min(diverging, known.settled().firstGapFrom(0)));
    return true;
  }

  /**
   * Whether it was cut; where another member was first, all begins anew from what that one left.
   */
  private boolean cut(long offset, int epoch) {
    OffsetRanges gone = OffsetRanges.of(offset, Long.MAX_VALUE);
    finished = finished.minus(gone);
    buffer.removeIf(f -> f.offset() >= offset);
    known = inbox.progress().cut(known, offset, epoch);
    sawEndAt = null;
    if (known.leaderEpoch() >= epoch) {
      return true;
    }
    buffer.clear();
    finished = OffsetRanges.EMPTY;
    seek(known.settled().firstGapFrom(0));
    return false;
  }

  /** Handles what is in hand, however old it is by now. */
  void work() throws Exception {
    if (buffer.isEmpty()) {
      return;
    }
    int topicNumber = inbox.topicId(buffer.get(0).topicId(), "orders");
    List<InboxClaim> claims = new ArrayList<>();
    for (Fetched fetched : buffer) {
      TestRecord record =
          TestRecord.at(0, fetched.offset())
              .topic("orders", fetched.topicId())
              .epoch(fetched.entry().epoch());
      String header = fetched.entry().header();
      InboundRecord withId = header == null ? record : record.header("message-id", header);
      claims.add(new InboxClaim(resolver.resolve(withId).id(), topicNumber, 0, fetched.offset()));
    }
    InboxRun run =
        inbox.run(
            claims,
            batch -> {
              for (int i : batch.fresh()) {
                batch
                    .begin(i)
                    .enqueue(
                        "insert into ledger(order_id, amount) values (?, ?)",
                        "o",
                        buffer.get(i).entry().label());
              }
            });
    timeline = run.timeline();
    for (Fetched fetched : buffer) {
      finished = finished.plus(fetched.offset(), fetched.offset() + 1);
    }
    buffer.clear();
  }

  /** Writes what is finished; what the database refuses is discarded, and read again. */
  void grow() {
    boolean endPassed = sawEndAt != null && buffer.isEmpty() && position >= sawEnd;
    GrowthResult result =
        inbox
            .progress()
            .grow(
                List.of(
                    new ProgressGrowth(
                        known.partition(),
                        finished,
                        OffsetRanges.EMPTY,
                        OffsetRanges.EMPTY,
                        known.generation(),
                        known.leaderEpoch(),
                        timeline,
                        endPassed ? sawEndAt : null)))
            .get(0);
    known = result.progress();
    finished = OffsetRanges.EMPTY;
    sawEndAt = null;
    if (result.kind() == GrowthResult.Kind.STALE) {
      buffer.clear();
      timeline = known.serverTimeline();
      seek(known.settled().firstGapFrom(0));
    } else if (buffer.isEmpty()) {
      // A gap below means that the database has lost something, or another member stopped there.
      long gap = known.settled().firstGapFrom(0);
      if (gap < position) {
        seek(gap);
      }
    }
  }

  /**
   * Goes on until everything in the topic is done; the first fetch finds out whether the log is
   * still the same.
   */
  void drain() throws Exception {
    int round = 0;
    do {
      if (round++ > 500) {
        throw new AssertionError("Stuck at " + position + " of " + topic.size() + ": " + known);
      }
      fetch(7);
      work();
      grow();
    } while (!known.done().covers(0, topic.size()));
  }

  private PartitionProgress read() {
    InboxPartition partition = new InboxPartition(inbox.topicId(topicId, "orders"), 0);
    return inbox.progress().read(List.of(partition)).get(0);
  }

  InboxPartition partition() {
    return known.partition();
  }
}
