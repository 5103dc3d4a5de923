package io.idembox.service;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the consumer until somebody stops it. */
@Command(
    name = "run",
    description = {
      "Runs the consumer until SIGTERM or Ctrl-C.",
      "Then the running batches finish within consumer.shutdown-budget, their offsets are"
          + " committed, and the group is left."
    })
final class RunCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final CommonOptions common = new CommonOptions();

  @Option(
      names = "--adopt-offsets",
      description =
          "Go on from offsets that another installation's database has committed in this group."
              + " Only after you know why they are there: what that database has done is not known"
              + " to this one.")
  private boolean adoptOffsets;

  RunCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws Exception {
    Settings settings = common.settings(console);
    LogSetup.forRun(settings);
    try (Service service = Service.assemble(settings, adoptOffsets)) {
      service.run();
    }
    return ExitCode.DONE;
  }
}
