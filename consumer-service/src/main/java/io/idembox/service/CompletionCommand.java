package io.idembox.service;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what a shell completes commands and options with. */
@Command(
    name = "completion",
    description = {
      "Prints a script that completes commands and options in bash and zsh:",
      "source <(idembox completion)"
    })
final class CompletionCommand implements Callable<Integer> {
  private final Console console;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  @Spec private CommandSpec spec = CommandSpec.create();

  CompletionCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    console.out().print(AutoComplete.bash("idembox", spec.root().commandLine()));
    return ExitCode.DONE;
  }
}
