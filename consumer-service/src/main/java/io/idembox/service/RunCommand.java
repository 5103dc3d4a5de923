package io.idembox.service;

import io.idembox.inbox.ClusterChange;
import io.idembox.runtime.InboxConsumerBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the consumer until somebody stops it. */
@Command(
    name = "run",
    description = {
      "Runs the consumer until SIGTERM or Ctrl-C.",
      "Then the running batches finish within consumer.shutdown-budget, their offsets are"
          + " committed, and the group is left. With --json, log lines are JSON objects unless"
          + " logging.format says otherwise."
    })
final class RunCommand implements Callable<Integer> {
  private static final Logger log = LoggerFactory.getLogger(RunCommand.class);

  private final Console console;

  @Mixin private final CommonOptions common = new CommonOptions();

  @Option(
      names = "--adopt-offsets",
      description =
          "Go on from offsets that another installation's database has committed in this group."
              + " Only after you know why they are there: what that database has done is not known"
              + " to this one.")
  private boolean adoptOffsets;

  @Option(
      names = "--adopt-cluster",
      paramLabel = "copy|moved",
      description =
          "The database meets another Kafka cluster than before: because it is a copy of one that"
              + " goes on elsewhere (its effects get namespaces of their own), or because the"
              + " topics moved. For one start of one member while no other runs.")
  private @Nullable ClusterChange adoptCluster;

  @Option(
      names = "--accept-resolver-change",
      description =
          "Take over other rules for message ids than the consumer was registered with. Messages"
              + " may get other identities, and what comes again is handled again.")
  private boolean acceptResolverChange;

  RunCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws Exception {
    Settings settings =
        common.settings(
            common.json() ? console.withDefault("idembox.logging.format", "json") : console);
    LogSetup.forRun(settings);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> log.error("Thread {} ended by a failure", thread.getName(), failure));
    try {
      return run(settings);
    } catch (Exception | LinkageError e) {
      if (settings.get(Options.LOG_FORMAT) == Options.LogFormat.JSON) {
        return Failures.log(e);
      }
      throw e;
    }
  }

  private int run(Settings settings) throws InterruptedException {
    noteDecisions(settings);
    try (Service service = Service.assemble(settings, this::adopt)) {
      service.run();
    }
    return ExitCode.DONE;
  }

  /** What somebody decides at a start is on record, as every other decision is. */
  private void noteDecisions(Settings settings) {
    List<String> decisions = new ArrayList<>();
    if (adoptOffsets) {
      decisions.add("--adopt-offsets");
    }
    if (adoptCluster != null) {
      decisions.add("--adopt-cluster " + ValueType.name(adoptCluster));
    }
    if (acceptResolverChange) {
      decisions.add("--accept-resolver-change");
    }
    if (decisions.isEmpty()) {
      return;
    }
    try (Stores stores = Stores.of(settings)) {
      // Says more about a database that cannot be used than the audit could.
      stores.database().check();
      new Audit(stores, Audit.Via.COMMAND, console.user()).note("run", String.join(" ", decisions));
    }
  }

  /** What somebody has decided for this start. */
  private void adopt(InboxConsumerBuilder builder) {
    if (adoptOffsets) {
      builder.adoptOffsets();
    }
    if (adoptCluster != null) {
      builder.adoptCluster(adoptCluster);
    }
    if (acceptResolverChange) {
      builder.acceptResolverChange();
    }
  }
}
