package io.idembox.service;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves the group's offsets. */
@Command(
    name = "rewind",
    description = {
      "Moves the offsets of the consumer's group, which must be stopped.",
      "What is recorded is skipped when it comes again, so going back runs nothing twice. Going"
          + " forward jumps records: they are counted as skipped, not as done."
    })
final class RewindCommand extends StoresCommand {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private Target target = new Target();

  private static final class Target {
    @Option(names = "--to-earliest", description = "To the oldest record of each partition.")
    private boolean earliest;

    @Option(names = "--to-latest", description = "Behind the newest record of each partition.")
    private boolean latest;

    @Option(
        names = "--to-offset",
        paramLabel = "OFFSET",
        description = "Needs --topic and --partition.")
    private @Nullable Long offset;

    @Option(
        names = "--to-time",
        paramLabel = "TIME",
        description =
            "To the first record that is not older, such as 2026-11-30T06:00:00Z; partitions"
                + " without one go to their end.")
    private @Nullable String time;
  }

  @Option(names = "--topic", description = "Only this topic. Default: all of the subscriptions.")
  private @Nullable String topic;

  @Option(
      names = "--partition",
      paramLabel = "N",
      description = "Only this partition of the topic.")
  private @Nullable Integer partition;

  @Option(names = "--dry-run", description = "Only say what would change.")
  private boolean dryRun;

  RewindCommand(Console console) {
    super(console);
  }

  /**
   * One partition's offset.
   *
   * @param from null where the group had none
   */
  record Moved(String topic, int partition, @Nullable Long from, long to, @Nullable String note) {
    private String text() {
      return topic + "-" + partition + " " + (from == null ? "none" : from) + " to " + to;
    }
  }

  @Override
  int run(Stores stores) {
    KafkaView kafka = new KafkaView(stores);
    if (target.offset != null && (topic == null || partition == null)) {
      throw new IllegalArgumentException("--to-offset needs --topic and --partition");
    }
    if (partition != null && topic == null) {
      throw new IllegalArgumentException("--partition needs --topic");
    }
    StatusReport.GroupState group = StatusReport.GroupState.of(kafka);
    if (group.members() > 0 && !dryRun) {
      throw new NotPossibleException(
          "group "
              + kafka.groupId()
              + " has "
              + group.counted()
              + ": stop the consumer first, or use replay, which runs beside it");
    }
    List<TopicPartition> partitions = chosen(kafka);
    Map<TopicPartition, OffsetAndMetadata> committed = kafka.committed();
    Map<TopicPartition, Long> start = kafka.offsets(partitions, OffsetSpec.earliest());
    Map<TopicPartition, Long> end = kafka.offsets(partitions, OffsetSpec.latest());
    Map<TopicPartition, Long> wanted = wanted(kafka, partitions, start, end);
    List<Moved> moved = new ArrayList<>();
    Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    for (TopicPartition at : partitions) {
      long first = start.getOrDefault(at, 0L);
      long last = end.getOrDefault(at, 0L);
      long to = wanted.getOrDefault(at, last);
      if (to < first || to > last) {
        throw new NotPossibleException(
            at + " holds offsets " + first + " to " + last + ", not " + to);
      }
      OffsetAndMetadata before = committed.get(at);
      moved.add(
          new Moved(
              at.topic(),
              at.partition(),
              before == null ? null : before.offset(),
              to,
              target.time != null && to == last ? "no record that late: at its end" : null));
      // Without metadata: an operator's move, which the consumer honours and counts.
      offsets.put(at, new OffsetAndMetadata(to));
    }
    if (!dryRun) {
      audited(
          stores,
          "rewind",
          moved.stream().map(Moved::text).collect(Collectors.joining(", ")),
          () -> {
            kafka.alter(offsets);
            return offsets;
          });
    }
    print(moved, text(moved));
    return ExitCode.DONE;
  }

  private List<TopicPartition> chosen(KafkaView kafka) {
    List<TopicPartition> partitions =
        KafkaView.partitions(kafka.describe()).stream()
            .filter(at -> topic == null || at.topic().equals(topic))
            .filter(at -> partition == null || at.partition() == partition)
            .toList();
    if (partitions.isEmpty()) {
      throw kafka.noPartition(topic, partition);
    }
    return partitions;
  }

  private Map<TopicPartition, Long> wanted(
      KafkaView kafka,
      List<TopicPartition> partitions,
      Map<TopicPartition, Long> start,
      Map<TopicPartition, Long> end) {
    if (target.earliest) {
      return start;
    }
    if (target.latest) {
      return end;
    }
    Map<TopicPartition, Long> wanted = new LinkedHashMap<>();
    if (target.offset != null) {
      long offset = target.offset;
      partitions.forEach(at -> wanted.put(at, offset));
      return wanted;
    }
    kafka
        .offsets(partitions, OffsetSpec.forTimestamp(millis(String.valueOf(target.time))))
        .forEach((at, offset) -> wanted.put(at, offset < 0 ? end.getOrDefault(at, 0L) : offset));
    return wanted;
  }

  static long millis(String time) {
    try {
      return Instant.parse(time).toEpochMilli();
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "'" + time + "' is not a time such as 2026-11-30T06:00:00Z", e);
    }
  }

  private String text(List<Moved> moved) {
    Table table = Table.of("PARTITION", "FROM", "TO", "NOTE");
    moved.forEach(
        one -> table.row(one.topic() + "-" + one.partition(), one.from(), one.to(), one.note()));
    return table + (dryRun ? "nothing was changed (--dry-run)" : "");
  }
}
