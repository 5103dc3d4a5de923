package io.idembox.demo.run;

import static java.util.Objects.requireNonNull;

import io.idembox.demo.lab.LabCommand;
import io.idembox.demo.stage.JsonOption;
import io.idembox.demo.stage.RunFrame;
import io.idembox.demo.stage.ScriptOptions;
import io.idembox.demo.stage.StopSignal;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "Starts Kafka, PostgreSQL, Redis and a mail server, sends 2,000 orders (200 of them twice)"
          + " and 100 requests for an invoice, kills the consumer process twice while it works,"
          + " rewinds the consumer group, and counts ledger rows and mails order by order.",
      ""
    },
    synopsisSubcommandLabel = "[lab]",
    commandListHeading = "%nCommands:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every order has exactly one ledger row and one mail",
      "1:it has not, or the run failed",
      "2:wrong arguments",
      "130:stopped by Ctrl-C",
      "143:stopped by SIGTERM"
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int CLEAN_UP_SECONDS = 60;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final JsonOption json = new JsonOption();

  @Mixin private final ScriptOptions script = new ScriptOptions();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  private final StopSignal stop;
  private final PrintStream out = System.out;
  private final PrintStream err = System.err;

  private DemoCommand(StopSignal stop) {
    this.stop = stop;
  }

  /** Runs the demo or the lab, and exits with its code. */
  public static void main(String[] args) {
    // By name: the service that the lab starts has a logback.xml on the class path too.
    System.setProperty("logback.configurationFile", "logback-demo.xml");
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
    DemoCommand demo = new DemoCommand(stop);
    return new CommandLine(demo)
        .addSubcommand(new LabCommand(stop, demo.script))
        .setParameterExceptionHandler(
            (failure, args) -> {
              PrintWriter err = failure.getCommandLine().getErr();
              err.println("error: " + message(failure));
              if (!UnmatchedArgumentException.printSuggestions(failure, err)) {
                err.println("See --help.");
              }
              return CommandLine.ExitCode.USAGE;
            });
  }

  private static String message(ParameterException failure) {
    return failure instanceof UnmatchedArgumentException unknown
        ? "unknown argument: " + String.join(" ", unknown.getUnmatched())
        : String.valueOf(failure.getMessage());
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
    json.refuseUnwritable(requireNonNull(spec).commandLine());
    return new RunFrame(script.workDir(), stop, err)
        .run(
            folder -> report(new DemoRun(DemoPlan.FULL, folder, script.progress(err), stop).run()));
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
    Path file = json.file().orElse(null);
    if (file == null) {
      return true;
    }
    try {
      figures.writeTo(file);
      return true;
    } catch (IOException failure) {
      err.println("error: the figures could not be written to " + file + ": " + failure);
      return false;
    }
  }
}
