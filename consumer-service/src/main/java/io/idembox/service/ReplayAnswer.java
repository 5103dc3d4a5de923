package io.idembox.service;

import io.idembox.runtime.ReplayRange;
import io.idembox.runtime.ReplayReport;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a replay came to.
 *
 * @param recordsInherited in a rebuild, those handled that the other consumer had done
 * @param effectsInherited in a rebuild, effects that count as finished without having been run
 * @param skipRate of the records read, 0 to 1
 * @param microsPerRecord of the whole time
 * @param seconds from the first read to the end
 */
record ReplayAnswer(
    boolean dryRun,
    boolean cancelled,
    boolean finished,
    long read,
    long skipped,
    long handled,
    long ignored,
    long dead,
    long effectsPerformed,
    long effectsReplayed,
    long recordsInherited,
    long effectsInherited,
    double skipRate,
    double microsPerRecord,
    double seconds,
    List<Partition> partitions,
    List<String> notes) {

  /** One partition; {@code next} is where to go on. */
  record Partition(
      String topic,
      int partition,
      long from,
      long to,
      long next,
      long read,
      long skipped,
      long handled,
      long ignored,
      long dead) {}

  static ReplayAnswer of(ReplayReport report, List<String> notes) {
    List<Partition> partitions =
        report.partitions().stream()
            .map(
                one ->
                    new Partition(
                        one.range().partition().topic(),
                        one.range().partition().partition(),
                        one.range().from(),
                        one.range().to(),
                        one.next(),
                        one.read(),
                        one.skipped(),
                        one.handled(),
                        one.ignored(),
                        one.dead()))
            .toList();
    long read = report.read();
    long skipped = partitions.stream().mapToLong(Partition::skipped).sum();
    double seconds = report.elapsed().toNanos() / 1e9;
    return new ReplayAnswer(
        report.dryRun(),
        report.cancelled(),
        report.finished(),
        read,
        skipped,
        partitions.stream().mapToLong(Partition::handled).sum(),
        partitions.stream().mapToLong(Partition::ignored).sum(),
        partitions.stream().mapToLong(Partition::dead).sum(),
        report.effectsPerformed(),
        report.effectsReplayed(),
        report.recordsInherited(),
        report.effectsInherited(),
        read == 0 ? 0 : (double) skipped / read,
        read == 0 ? 0 : seconds * 1e6 / read,
        seconds,
        partitions,
        notes);
  }

  /** What is about to be read, for the record. */
  static String planned(List<ReplayRange> ranges) {
    return ranges.isEmpty()
        ? "nothing"
        : ranges.stream()
            .map(one -> one.partition() + " " + one.from() + ".." + one.to())
            .collect(Collectors.joining(", "));
  }

  /** What came of it, for the record. */
  String outcome() {
    return "%s: %d read, %d skipped, %d handled, %d ignored, %d dead"
        .formatted(finished ? "done" : "stopped", read, skipped, handled, ignored, dead);
  }

  /**
   * For people.
   *
   * @param again the command that goes on after a stop; null for that of a replay
   */
  String text(@Nullable String again) {
    StringBuilder text = new StringBuilder();
    notes.forEach(note -> text.append("note: ").append(note).append('\n'));
    Table table =
        Table.of("PARTITION", "RANGE", "READ", "SKIPPED", "HANDLED", "IGNORED", "DEAD", "NEXT");
    for (Partition one : partitions) {
      table.row(
          one.topic() + "-" + one.partition(),
          one.from() + ".." + one.to(),
          one.read(),
          one.skipped(),
          one.handled(),
          one.ignored(),
          one.dead(),
          one.next() >= one.to() ? "finished" : one.next());
    }
    text.append(table);
    text.append(
        "%d read: %d skipped (%.1f %%), %d %s, %d ignored, %d dead; effects: %d performed, %d replayed%n"
            .formatted(
                read,
                skipped,
                skipRate * 100,
                handled,
                dryRun ? "would be handled" : "handled",
                ignored,
                dead,
                effectsPerformed,
                effectsReplayed));
    if (recordsInherited > 0) {
      text.append(
          "%d of them were done by the other consumer; %d of their effects count as finished%n"
              .formatted(recordsInherited, effectsInherited));
    }
    text.append("%.1f s, %.0f microseconds a record%n".formatted(seconds, microsPerRecord));
    if (!finished && again != null) {
      text.append("stopped before the end; to go on:\n  ").append(again).append('\n');
    } else if (!finished) {
      text.append("stopped before the end; to go on:\n");
      for (Partition one : partitions) {
        if (one.next() < one.to()) {
          text.append(
              "  idembox replay --topic %s --partition %d --from-offset %d --to-offset %d%n"
                  .formatted(one.topic(), one.partition(), one.next(), one.to()));
        }
      }
    }
    return text.toString();
  }
}
