package io.idembox.demo.lab;

import static java.util.Objects.requireNonNull;

import io.idembox.demo.stage.JsonOption;
import io.idembox.demo.stage.RunFrame;
import io.idembox.demo.stage.ScriptOptions;
import io.idembox.demo.stage.StopSignal;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code demo-ledger-mailer/run lab}. */
@Command(
    name = "lab",
    sortOptions = false,
    description = {
      "Runs six situations for real, and prints the figures of the articles that they come from"
          + " beside ours.",
      "",
      "1  a crash before the ack",
      "2  two workers, one job",
      "3  what the key is made of",
      "4  inbox and key together",
      "5  overnight replay: 12,000 messages come again",
      "6  migration replay: a copied topic of 340,000 events",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:our figures hold",
      "1:one of them does not, or the run failed",
      "2:wrong arguments",
      "130:stopped by Ctrl-C",
      "143:stopped by SIGTERM"
    })
public final class LabCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--scenario",
      paramLabel = "N",
      description = "Only this scenario, 1 to 6. Default: all, one after the other.")
  private @Nullable String scenario;

  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  private final StopSignal stop;
  private final ScriptOptions script;
  private final PrintStream out = System.out;
  private final PrintStream err = System.err;

  /**
   * A command.
   *
   * @param script what is told before the command's name
   */
  public LabCommand(StopSignal stop, ScriptOptions script) {
    this.stop = stop;
    this.script = script;
  }

  @Override
  public Integer call() throws IOException {
    CommandLine command = requireNonNull(spec).commandLine();
    if (command.getParent() != null
        && command.getParent().getParseResult().hasMatchedOption("--json")) {
      throw new ParameterException(command, "--json belongs behind lab: lab --json FILE");
    }
    List<Scenario> chosen = chosen(command);
    json.refuseUnwritable(command);
    return new RunFrame(script.workDir(), stop, err)
        .run(
            folder ->
                report(new Lab(LabPlan.FULL, folder, script.progress(err), stop).run(chosen)));
  }

  private List<Scenario> chosen(CommandLine command) {
    if (scenario == null) {
      return Lab.SCENARIOS;
    }
    return Lab.SCENARIOS.stream()
        .filter(one -> String.valueOf(one.id()).equals(scenario))
        .findFirst()
        .map(List::of)
        .orElseThrow(
            () ->
                new ParameterException(
                    command,
                    "--scenario is " + scenario + ": there are 1 to " + Lab.SCENARIOS.size()));
  }

  private int report(List<ScenarioResult> results) throws IOException {
    LabReport.print(results, out);
    Path file = json.file().orElse(null);
    if (file != null) {
      LabReport.write(results, file);
    }
    if (results.stream().allMatch(ScenarioResult::holds)) {
      out.println(results.size() == 1 ? "It holds." : "All " + results.size() + " scenarios hold.");
      return CommandLine.ExitCode.OK;
    }
    err.println("Not all of our figures hold: see DOES NOT HOLD in the table.");
    return CommandLine.ExitCode.SOFTWARE;
  }
}
