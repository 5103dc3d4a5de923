package io.idembox.service;

import picocli.CommandLine.Command;

/** How the consumer stands. */
@Command(
    name = "status",
    description = {
      "Says how the consumer stands: group, offsets, lag, done ranges, unsettled effects, dead"
          + " letters.",
      "As Kafka and the database see it, so for all members together. What one member waits for is"
          + " in its API, at /api/status."
    })
final class StatusCommand extends StoresCommand {
  StatusCommand(Console console) {
    super(console);
  }

  @Override
  int run(Stores stores) {
    StatusReport report = StatusReport.of(stores);
    print(report, report.text());
    return ExitCode.DONE;
  }
}
