package io.idembox.demo.run;

import static java.util.Objects.requireNonNull;

import io.idembox.demo.run.StopSignal.StoppedException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program behind {@code demo-ledger-mailer/run}. */
@Command(
    name = "demo-ledger-mailer/run",
    sortOptions = false,
    description = {
      "Runs the ledger mailer under fire.",
      "",
      "Starts Kafka, PostgreSQL, Redis and a mail server, sends 2,000 orders (200 of them twice) and"
          + " 100 requests for an invoice, kills the consumer process twice while it works, rewinds"
          + " the consumer group, and counts ledger rows and mails order by order.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every order has exactly one ledger row and one mail",
      "1:it has not, or the run failed",
      "2:wrong arguments",
      "130:stopped by Ctrl-C",
      "143:stopped by SIGTERM"
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int STOPPED = 130;
  private static final int CLEAN_UP_SECONDS = 60;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Also write the figures to this file, as one JSON object of numbers.")
  private @Nullable Path json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  // For the script, which knows the module's folder and whether somebody watches.
  @Option(names = "--work-dir", paramLabel = "DIR", hidden = true, defaultValue = "target/demo")
  private Path workDir = Path.of("target/demo");

  @Option(names = "--bar", hidden = true)
  private boolean bar;

  private final StopSignal stop;
  private final PrintStream out = System.out;
  private final PrintStream err = System.err;

  private DemoCommand(StopSignal stop) {
    this.stop = stop;
  }

  /** Runs the demo and exits with its code. */
  public static void main(String[] args) {
    // GreenMail ends a thread by an exception when its client is killed, which happens here on
    // purpose.
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> {
          if (!thread.getName().startsWith("smtp:")) {
            failure.printStackTrace();
          }
        });
    StopSignal stop = new StopSignal();
    CountDownLatch ended = new CountDownLatch(1);
    stopOnSignal(stop, ended);
    int code;
    try {
      code = commandLine(stop).execute(args);
    } finally {
      ended.countDown();
    }
    System.exit(code);
  }

  /** The command with its errors kept short: what is wrong, and where the help is. */
  static CommandLine commandLine(StopSignal stop) {
    return new CommandLine(new DemoCommand(stop))
        .setParameterExceptionHandler(
            (failure, args) -> {
              PrintWriter err = failure.getCommandLine().getErr();
              err.println("error: " + failure.getMessage());
              if (!UnmatchedArgumentException.printSuggestions(failure, err)) {
                err.println("See --help.");
              }
              return CommandLine.ExitCode.USAGE;
            });
  }

  /** Ctrl-C and SIGTERM give the run up; the process ends when the run has cleaned up. */
  private static void stopOnSignal(StopSignal stop, CountDownLatch ended) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stop.request();
                  awaitQuietly(ended);
                },
                "stop"));
  }

  private static void awaitQuietly(CountDownLatch ended) {
    try {
      ended.await(CLEAN_UP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Integer call() throws IOException {
    refuseUnwritableJson();
    Files.createDirectories(workDir);
    Path folder = Files.createTempDirectory(workDir.toAbsolutePath(), "run-");
    Progress progress = bar ? new BarProgress(err) : new PlainProgress(err);
    DemoRun run = new DemoRun(DemoPlan.FULL, folder, progress, stop);
    boolean keepLog = false;
    try {
      int code = report(run.run());
      keepLog = code != CommandLine.ExitCode.OK;
      return code;
    } catch (StoppedException | DemoFailure | InterruptedException | RuntimeException failure) {
      if (stop.isRequested()) {
        // Whatever failed: a server or the consumer may have met the signal first.
        err.println("stopped");
        return STOPPED;
      }
      keepLog = true;
      explain(failure);
      return CommandLine.ExitCode.SOFTWARE;
    } finally {
      if (keepLog) {
        showLog(run.consumerLog());
      }
      tidy(folder, keepLog);
    }
  }

  /** Before the run, not after it: nobody wants to wait a minute for a typing error. */
  private void refuseUnwritableJson() {
    if (json == null) {
      return;
    }
    Path folder = json.toAbsolutePath().getParent();
    if (Files.isDirectory(json)) {
      throw refusal("--json " + json + " is a folder: name a file");
    }
    if (folder == null || !Files.isDirectory(folder)) {
      throw refusal("--json " + json + ": the folder " + folder + " does not exist");
    }
    boolean there = Files.exists(json);
    // Tried, not asked: the rights alone do not tell of a read-only or a made-up file system.
    try {
      FileChannel.open(json, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
      if (!there) {
        Files.delete(json);
      }
    } catch (IOException failure) {
      throw refusal("--json " + json + " cannot be written: " + failure.getMessage());
    }
  }

  private ParameterException refusal(String message) {
    return new ParameterException(requireNonNull(spec).commandLine(), message);
  }

  private int report(DemoRun.Result result) {
    RunFigures figures = result.figures();
    figures.print(out);
    boolean written = writeJson(figures);
    if (figures.exactlyRight(DemoPlan.FULL)) {
      out.println("Exactly right: one ledger row and one mail for each order.");
      return written ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
    err.println("Not right: orders, ledger rows and mails differ.");
    result.faults().forEach(fault -> err.println("  " + fault));
    return CommandLine.ExitCode.SOFTWARE;
  }

  /** Whether the file that was asked for, if any, holds the figures. */
  private boolean writeJson(RunFigures figures) {
    if (json == null) {
      return true;
    }
    try {
      figures.writeTo(json);
      return true;
    } catch (IOException failure) {
      err.println("error: the figures could not be written to " + json + ": " + failure);
      return false;
    }
  }

  private void explain(Throwable failure) {
    err.println("error: " + failure.getMessage());
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      err.println("  caused by: " + cause);
    }
  }

  private void showLog(Path log) {
    List<String> tail = ConsumerProcess.tail(log);
    if (!tail.isEmpty()) {
      err.println("The consumer's log is " + log + "; its last lines:");
      tail.forEach(line -> err.println("  | " + line));
    }
  }

  private static void tidy(Path folder, boolean keepLog) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(folder)) {
      files = walk.sorted(Comparator.reverseOrder()).toList();
    }
    boolean logs = keepLog && files.stream().anyMatch(DemoCommand::isLog);
    for (Path file : files) {
      boolean kept = logs && (file.equals(folder) || isLog(file));
      if (!kept) {
        Files.delete(file);
      }
    }
  }

  private static boolean isLog(Path file) {
    return file.toString().endsWith(".log");
  }
}
