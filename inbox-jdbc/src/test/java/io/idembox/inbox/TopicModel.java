package io.idembox.inbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One partition of a topic as a broker keeps it, with leaders that lose data and a topic that is
 * made again.
 */
final class TopicModel {
  /**
   * A record.
   *
   * @param label of the message; copies have the label of what they copy
   * @param header its id, or null when it goes by its coordinates
   */
  record Entry(int label, @Nullable String header, int epoch) {}

  private final List<Entry> log = new ArrayList<>();
  private UUID id = UUID.randomUUID();
  private int epoch = 1;
  private int labels;
  private int firstYoungLabel;
  private final Set<Integer> oldAndTruncated = new HashSet<>();

  UUID id() {
    return id;
  }

  int size() {
    return log.size();
  }

  Entry at(long offset) {
    return log.get((int) offset);
  }

  List<Entry> entries() {
    return List.copyOf(log);
  }

  void append(boolean withHeader) {
    int label = labels++;
    log.add(new Entry(label, withHeader ? "m" + label : null, epoch));
  }

  /** Publishes a message again; one that has gone by its coordinates is another message then. */
  void appendCopy(int which) {
    List<Entry> young =
        log.stream().filter(e -> e.header() != null && e.label() >= firstYoungLabel).toList();
    if (!young.isEmpty()) {
      Entry original = young.get(which % young.size());
      log.add(new Entry(original.label(), original.header(), epoch));
    }
  }

  /**
   * Rows of older messages may be pruned from now on: nobody publishes those again (the promise
   * ends there).
   */
  void grewOld() {
    firstYoungLabel = labels;
  }

  /**
   * An unclean election: the tail is gone, and the new leader takes other records at its offsets.
   */
  void truncate(int keep) {
    int to = Math.min(keep, log.size());
    log.subList(to, log.size()).stream()
        .map(Entry::label)
        .filter(label -> label < firstYoungLabel)
        .forEach(oldAndTruncated::add);
    log.subList(to, log.size()).clear();
    epoch++;
  }

  /**
   * Messages whose rows may be pruned and whose offsets were truncated since: neither row nor range
   * knows them, so a member that has held one in hand all the time may handle it again (the promise
   * ends there, too).
   */
  Set<Integer> oldAndTruncated() {
    return oldAndTruncated;
  }

  void makeAgain() {
    log.clear();
    id = UUID.randomUUID();
    epoch = 1;
  }

  int epoch() {
    return epoch;
  }

  /**
   * As a broker answers who asks where an epoch ends: the first offset of a higher one, or the
   * log's end.
   */
  long endOf(int leaderEpoch) {
    for (int offset = 0; offset < log.size(); offset++) {
      if (log.get(offset).epoch() > leaderEpoch) {
        return offset;
      }
    }
    return log.size();
  }
}
