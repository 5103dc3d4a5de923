package io.idembox.inbox.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The module's figures: {@code inbox-jdbc/bench.sh [--quick] [--json FILE]}. Exits 1 when a figure
 * misses its target.
 */
final class InboxBenchmark {
  private final Map<String, Double> figures = new LinkedHashMap<>();
  private boolean met = true;

  public static void main(String[] args) throws Exception {
    List<String> arguments = Arrays.asList(args);
    InboxBenchmark benchmark = new InboxBenchmark();
    benchmark.measure(arguments.contains("--quick"));
    String json = benchmark.json();
    System.out.print(json);
    int file = arguments.indexOf("--json");
    if (file >= 0) {
      Files.writeString(Path.of(arguments.get(file + 1)), json);
    }
    System.exit(benchmark.met ? 0 : 1);
  }

  private void measure(boolean quick) throws Exception {
    try (FigureDatabase database = new FigureDatabase(new JournalFigures.Mail())) {
      progress("batches of 500");
      new BatchFigures(database).measure(quick ? 100 : 600, figures);
      target("duplicates.ratio", 0.9, true);
      target("duplicates.walBytesPerBatch", 64, false);
      target("firstPass.ratio", 0.8, true);
      progress("journal");
      new JournalFigures(database).measure(quick ? 60 : 300, figures);
      progress("row sizes");
      new SizeFigures(database).measure(quick ? 100_000 : 1_000_000, figures);
      target("rowBytes.randomUuid", 130, false);
      target("rowBytes.otherIds", 130, false);
      target("rowBytes.cloudEvents", 130, false);
      target("rowBytes.timeOrderedUuid", 115, false);
      target("rowBytes.coordinates", 115, false);
    }
    try (FigureDatabase database = new FigureDatabase()) {
      PruneFigures prune = new PruneFigures(database);
      progress("pruning beside claims");
      int rows = quick ? 500_000 : 10_000_000;
      prune.measure(rows, rows / 10, figures);
      target("prune.claimP99Ratio", 2, false);
      int perCycle = quick ? 50_000 : 100_000;
      progress("insert and prune cycles, random ids");
      prune.cycles("random", perCycle, figures);
      target("cycles.random.heapGrowth", 1.02, false);
      target("cycles.random.indexGrowthOfTheLastCycle", 1.02, false);
      progress("insert and prune cycles, ordered ids");
      prune.cycles("ordered", perCycle, figures);
      target("cycles.ordered.heapGrowth", 1.02, false);
      target("cycles.ordered.indexGrowth", 1.02, false);
    }
  }

  private static void progress(String what) {
    System.err.println("measuring: " + what);
  }

  private void target(String figure, double limit, boolean least) {
    double value = figures.getOrDefault(figure, Double.NaN);
    boolean ok = least ? value >= limit : value <= limit;
    met &= ok;
    System.err.printf(
        Locale.ROOT,
        "  %-32s %12.3f  %s %s %.3f%n",
        figure,
        value,
        ok ? "meets" : "MISSES",
        least ? "at least" : "at most",
        limit);
  }

  private String json() {
    return figures.entrySet().stream()
        .map(e -> String.format(Locale.ROOT, "  \"%s\": %.3f", e.getKey(), e.getValue()))
        .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
  }
}
