package io.idembox.service;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program: a command line of which each command is a class of its own. */
@Command(
    name = "idembox",
    description = {
      "Runs a Kafka consumer that records each message once and runs each effect once per business"
          + " key.",
      ""
    },
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:done, and the answer is bad news: an error found by doctor, a retry that failed again",
      "2:wrong arguments",
      "3:the configuration is refused",
      "4:a server cannot be reached or used, or refuses",
      "5:the consumer ended by itself",
      "6:what was named is not there, or not in a state that allows it",
      "70:a defect of this program",
      "130:stopped by Ctrl-C",
      "143:stopped by SIGTERM"
    })
public final class Idembox implements Runnable {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  private Idembox() {}

  /** Runs a command and exits with its code. */
  public static void main(String[] args) {
    Console console = Console.ofProcess();
    if (!List.of(args).contains("run")) {
      // What plug-ins print must not stand in the midst of a command's result.
      System.setOut(console.err());
    }
    System.exit(execute(console, args));
  }

  /** Runs a command; never throws. */
  static int execute(Console console, String... args) {
    CommandLine line = new CommandLine(new Idembox());
    Commands.addTo(line, console);
    // Reaches the subcommands that are there by now only.
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> Failures.tell(failure, console));
    line.setParameterExceptionHandler(Idembox::wrongArguments);
    try {
      return line.execute(args);
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Error e) {
      // A class that cannot be linked, in a jar of somebody's: one line, as for every failure.
      return Failures.tell(e, console);
    }
  }

  private static int wrongArguments(ParameterException e, String[] args) {
    PrintWriter err = e.getCommandLine().getErr();
    // Some of picocli's messages begin with the word themselves.
    err.println("error: " + String.valueOf(e.getMessage()).replaceFirst("^Error: ", "") + hint(e));
    err.println("Try '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
    return ExitCode.WRONG_ARGUMENTS;
  }

  /** What somebody may have meant: picocli's own guesses know the beginnings of words only. */
  private static String hint(ParameterException e) {
    if (!(e instanceof CommandLine.UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()) {
      return "";
    }
    String written = unmatched.getUnmatched().get(0);
    CommandSpec command = e.getCommandLine().getCommandSpec();
    return Spelling.hint(
        written,
        written.startsWith("-") ? command.optionsMap().keySet() : command.subcommands().keySet());
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
