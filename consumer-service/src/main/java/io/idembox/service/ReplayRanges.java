package io.idembox.service;

import io.idembox.runtime.ReplayRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Works out which offsets a replay reads. */
final class ReplayRanges {
  private final KafkaView kafka;
  private final List<String> notes = new ArrayList<>();

  ReplayRanges(KafkaView kafka) {
    this.kafka = kafka;
  }

  /**
   * What somebody asked for; null is the whole log on that side.
   *
   * @param topic null for all
   * @param partition null for all
   */
  record Wanted(
      @Nullable String topic,
      @Nullable Integer partition,
      @Nullable Long fromOffset,
      @Nullable Long toOffset,
      @Nullable Long fromMillis,
      @Nullable Long toMillis) {
    /**
     * Checks what goes together.
     *
     * @throws IllegalArgumentException if it does not
     */
    Wanted {
      if ((fromOffset != null || toOffset != null) && (topic == null || partition == null)) {
        throw new IllegalArgumentException(
            "--from-offset and --to-offset need --topic and --partition");
      }
      if (partition != null && topic == null) {
        throw new IllegalArgumentException("--partition needs --topic");
      }
      if ((fromOffset != null && fromMillis != null) || (toOffset != null && toMillis != null)) {
        throw new IllegalArgumentException("give an offset or a time, not both");
      }
      if (fromOffset != null && (fromOffset < 0 || (toOffset != null && toOffset < fromOffset))) {
        throw new IllegalArgumentException(
            "--from-offset must not be negative, nor behind --to-offset: "
                + fromOffset
                + (toOffset == null ? "" : " to " + toOffset));
      }
      if (fromMillis != null && toMillis != null && toMillis < fromMillis) {
        throw new IllegalArgumentException("--from-time must not be later than --to-time");
      }
    }
  }

  /** What people should know about the ranges. */
  List<String> notes() {
    return notes;
  }

  /**
   * The ranges, empty ones left out.
   *
   * @throws NotPossibleException if the subscriptions have no such partition
   */
  List<ReplayRange> of(Wanted wanted) {
    List<TopicPartition> partitions =
        KafkaView.partitions(kafka.describe()).stream()
            .filter(at -> wanted.topic() == null || at.topic().equals(wanted.topic()))
            .filter(at -> wanted.partition() == null || at.partition() == wanted.partition())
            .sorted(
                Comparator.comparing(TopicPartition::topic)
                    .thenComparingInt(TopicPartition::partition))
            .toList();
    if (partitions.isEmpty()) {
      throw kafka.noPartition(wanted.topic(), wanted.partition());
    }
    Map<TopicPartition, Long> start = kafka.offsets(partitions, OffsetSpec.earliest());
    Map<TopicPartition, Long> end = ends(partitions);
    Map<TopicPartition, Long> from = at(partitions, wanted.fromMillis(), end);
    Map<TopicPartition, Long> to = at(partitions, wanted.toMillis(), end);
    List<ReplayRange> ranges = new ArrayList<>();
    for (TopicPartition at : partitions) {
      long first = start.getOrDefault(at, 0L);
      long last = end.getOrDefault(at, 0L);
      long begin = wanted.fromOffset() == null ? from.getOrDefault(at, first) : wanted.fromOffset();
      long stop = wanted.toOffset() == null ? to.getOrDefault(at, last) : wanted.toOffset();
      if (begin < first) {
        notes.add(at + " holds nothing before " + first + ": it is read from there");
      }
      if (wanted.fromMillis() != null && begin >= last) {
        notes.add(at + " has no record that late: it starts at its end, " + last);
      }
      if (stop > last) {
        notes.add(at + " is read up to " + last + " only");
      }
      long low = Math.max(begin, first);
      long high = Math.min(stop, last);
      if (low < high) {
        ranges.add(new ReplayRange(at, low, high));
      }
    }
    return ranges;
  }

  /** Beside a live group, what it has committed: the rest is its work. */
  private Map<TopicPartition, Long> ends(List<TopicPartition> partitions) {
    Map<TopicPartition, Long> end =
        new LinkedHashMap<>(kafka.offsets(partitions, OffsetSpec.latest()));
    StatusReport.GroupState group = StatusReport.GroupState.of(kafka);
    if (group.members() == 0) {
      return end;
    }
    notes.add(
        "group "
            + kafka.groupId()
            + " is live with "
            + group.counted()
            + ": each partition is read up to what it has committed now");
    Map<TopicPartition, OffsetAndMetadata> committed = kafka.committed();
    end.replaceAll(
        (at, last) -> {
          OffsetAndMetadata offset = committed.get(at);
          return offset == null ? 0L : Math.min(last, offset.offset());
        });
    return end;
  }

  private Map<TopicPartition, Long> at(
      List<TopicPartition> partitions, @Nullable Long millis, Map<TopicPartition, Long> end) {
    if (millis == null) {
      return Map.of();
    }
    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    kafka
        .offsets(partitions, OffsetSpec.forTimestamp(millis))
        .forEach((at, offset) -> offsets.put(at, offset < 0 ? end.getOrDefault(at, 0L) : offset));
    return offsets;
  }
}
