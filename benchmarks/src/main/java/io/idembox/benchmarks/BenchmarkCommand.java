package io.idembox.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The program behind {@code benchmarks/run}. */
@Command(
    name = "benchmarks/run",
    sortOptions = false,
    description = {
      "Measures Idembox beside Spring Kafka, Confluent Parallel Consumer and hand-written loops, on"
          + " the same Kafka, PostgreSQL and Redis, all started here.",
      "",
      "Every pass begins with fresh tables and a fresh group, and its rows are counted afterwards."
          + " Contenders run in processes of their own and take turns. Nothing else should run on the"
          + " machine.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:everything was measured, and each pass left exactly the rows it should",
      "1:a contender failed, or left other rows",
      "2:wrong arguments"
    })
public final class BenchmarkCommand implements Callable<Integer> {
  private static final int FULL_RECORDS = 200_000;
  private static final int QUICK_RECORDS = 10_000;
  private static final int FULL_ROUNDS = 3;
  private static final int QUICK_ROUNDS = 1;
  private static final double FULL_SECONDS = 10;
  // The same memory for all; it keeps nobody from anything here, and makes theirs comparable.
  private static final List<String> FULL_JVM = List.of("-Xms256m", "-Xmx768m", "-XX:+UseG1GC");
  // Sixty short lives: what starts fast is what ends soon.
  private static final List<String> QUICK_JVM =
      List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--quick",
      description =
          "10,000 records and one cold pass: whether everything works, no figures to rely on.")
  private boolean quick;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the figures to this file.")
  private @Nullable Path json;

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      converter = WorkloadName.class,
      description = "Only this one; may be repeated. One of: ${COMPLETION-CANDIDATES}")
  private List<Workload> workloads = new ArrayList<>();

  @Option(
      names = "--contender",
      paramLabel = "NAME",
      converter = ContenderName.class,
      description = "Only this one; may be repeated. One of: ${COMPLETION-CANDIDATES}")
  private List<Contender> contenders = new ArrayList<>();

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "How many orders; default 200,000, with --quick 10,000.")
  private @Nullable Integer records;

  @Option(names = "--partitions", paramLabel = "N", description = "Default 8.")
  private int partitions = 8;

  @Option(
      names = "--inbox-rows",
      paramLabel = "N",
      description =
          "How many rows the inbox of the workload large-inbox has; default 50,000,000. It needs"
              + " 150 bytes of disk for each and some minutes, and is measured only when named.")
  private long inboxRows = 50_000_000;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Measured runs of each contender; default 3, with --quick 1.")
  private @Nullable Integer rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "A measured run repeats its pass until it has lasted so long; default 10, with --quick 0.")
  private @Nullable Double seconds;

  @Option(
      names = "--profile",
      paramLabel = "DIR",
      description = "Record each contender's last run and write the top frames to this folder.")
  private @Nullable Path profile;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  private final PrintStream out = System.out;
  private final PrintStream err = System.err;

  private BenchmarkCommand() {}

  /** Runs the benchmark and exits with its code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new BenchmarkCommand())
        .setParameterExceptionHandler(
            (failure, args) -> {
              failure.getCommandLine().getErr().println("error: " + failure.getMessage());
              failure.getCommandLine().getErr().println("See --help.");
              return CommandLine.ExitCode.USAGE;
            });
  }

  /** What the arguments ask for. */
  BenchmarkPlan plan() {
    try {
      Set<Workload> chosen = new LinkedHashSet<>(workloads);
      if (chosen.isEmpty()) {
        Arrays.stream(Workload.values()).filter(Workload::isUsual).forEach(chosen::add);
      }
      return new BenchmarkPlan(
          List.copyOf(chosen),
          Set.copyOf(contenders),
          records == null ? (quick ? QUICK_RECORDS : FULL_RECORDS) : records,
          partitions,
          inboxRows,
          !quick,
          rounds == null ? (quick ? QUICK_ROUNDS : FULL_ROUNDS) : rounds,
          seconds == null ? (quick ? 0 : FULL_SECONDS) : seconds,
          quick ? QUICK_JVM : FULL_JVM,
          profile);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(commandLine(spec), String.valueOf(e.getMessage()), e);
    }
  }

  private static CommandLine commandLine(@Nullable CommandSpec spec) {
    if (spec == null) {
      throw new IllegalStateException("picocli has not set the command up");
    }
    return spec.commandLine();
  }

  @Override
  public Integer call() throws IOException {
    BenchmarkPlan plan = plan();
    Path folder = json == null ? null : json.toAbsolutePath().getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      throw new ParameterException(
          commandLine(spec), "--json: the folder of " + json + " does not exist");
    }
    if (json != null && Files.isDirectory(json)) {
      throw new ParameterException(commandLine(spec), "--json: " + json + " is a folder");
    }
    if (profile != null && Files.exists(profile) && !Files.isDirectory(profile)) {
      throw new ParameterException(commandLine(spec), "--profile: " + profile + " is no folder");
    }
    Results results;
    try (BenchmarkRun run = new BenchmarkRun(plan, out, err)) {
      results = run.measure();
    } catch (BenchmarkException e) {
      err.println("error: " + e.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
    List<String> targets = Targets.of(results);
    if (!targets.isEmpty()) {
      out.println();
      if (quick) {
        out.println(
            "One cold pass each, for whether everything works; these say nothing of speed:");
      }
      targets.forEach(out::println);
    }
    if (json != null) {
      Files.writeString(json, results.json() + "\n");
    }
    return CommandLine.ExitCode.OK;
  }

  private static final class WorkloadName implements CommandLine.ITypeConverter<Workload> {
    @Override
    public Workload convert(String name) {
      return named(() -> Workload.named(name));
    }
  }

  private static final class ContenderName implements CommandLine.ITypeConverter<Contender> {
    @Override
    public Contender convert(String name) {
      return named(() -> Contender.named(name));
    }
  }

  private static <T> T named(Supplier<T> lookup) {
    try {
      return lookup.get();
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
