package io.idembox.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** A flight recording of a run, kept as text: who used the processor, who allocated. */
final class Profile implements AutoCloseable {
  private static final int LINES = 40;

  private final Recording recording;

  private Profile(Recording recording) {
    this.recording = recording;
  }

  static Profile start() {
    try {
      Recording recording = new Recording(Configuration.getConfiguration("profile"));
      recording.start();
      return new Profile(recording);
    } catch (IOException | ParseException e) {
      throw new BenchmarkException("No flight recording could be started", e);
    }
  }

  /** Stops the recording and writes what it says. */
  void write(Path file, Job job, RunFigures figures) {
    recording.stop();
    Path raw = file.resolveSibling(file.getFileName() + ".jfr");
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      recording.dump(raw);
      Files.write(file, text(raw, job, figures).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new BenchmarkException("The profile could not be written to " + file, e);
    }
  }

  private static String text(Path raw, Job job, RunFigures figures) throws IOException {
    Map<String, Long> self = new HashMap<>();
    Map<String, Long> inclusive = new HashMap<>();
    Map<String, Long> threads = new HashMap<>();
    Map<String, Long> allocatedAt = new HashMap<>();
    Map<String, Long> allocatedTypes = new HashMap<>();
    long samples = 0;
    long allocated = 0;
    try (RecordingFile events = new RecordingFile(raw)) {
      while (events.hasMoreEvents()) {
        RecordedEvent event = events.readEvent();
        String type = event.getEventType().getName();
        if (event.getStackTrace() == null) {
          continue;
        }
        if (type.equals("jdk.ExecutionSample")) {
          samples++;
          add(self, top(event.getStackTrace()), 1);
          distinct(event.getStackTrace()).forEach(frame -> add(inclusive, frame, 1));
          add(threads, thread(event), 1);
        } else if (type.equals("jdk.ObjectAllocationSample")) {
          long weight = event.getLong("weight");
          allocated += weight;
          add(allocatedTypes, event.getClass("objectClass").getName(), weight);
          distinct(event.getStackTrace()).forEach(frame -> add(allocatedAt, frame, weight));
        }
      }
    }
    return "%s %s: %s, %d partitions%n%nProcessor: %d samples%n%nby thread%n%s%nown time%n%s%nwith what it calls%n%s%n"
            .formatted(
                job.workload(),
                job.contender(),
                figures,
                job.partitions(),
                samples,
                lines(threads, samples),
                lines(self, samples),
                lines(inclusive, samples))
        + "Allocation: %d bytes for each record%n%nby type%n%s%nby frame, with what it calls%n%s"
            .formatted(
                allocated / figures.records(),
                lines(allocatedTypes, allocated),
                lines(allocatedAt, allocated));
  }

  private static String thread(RecordedEvent event) {
    String name =
        event.getThread("sampledThread") == null
            ? "?"
            : event.getThread("sampledThread").getJavaName();
    return name == null ? "?" : name.replaceAll("[0-9]+", "#");
  }

  private static String top(RecordedStackTrace trace) {
    return name(trace.getFrames().get(0));
  }

  private static Set<String> distinct(RecordedStackTrace trace) {
    return trace.getFrames().stream()
        .map(Profile::name)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static String name(RecordedFrame frame) {
    return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
  }

  private static void add(Map<String, Long> sums, String name, long amount) {
    sums.merge(name, amount, Long::sum);
  }

  private static String lines(Map<String, Long> sums, long all) {
    List<Map.Entry<String, Long>> sorted =
        sums.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
            .limit(LINES)
            .toList();
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, Long> entry : sorted) {
      text.append(
          String.format(
              Locale.ROOT,
              "  %5.1f %%  %s%n",
              100.0 * entry.getValue() / Math.max(1, all),
              entry.getKey()));
    }
    return text.toString();
  }

  @Override
  public void close() {
    recording.close();
  }
}
