package io.idembox.demo.lab;

import io.idembox.demo.stage.DemoFailure;
import io.idembox.demo.stage.Progress;
import io.idembox.demo.stage.StopSignal;
import io.idembox.demo.stage.StopSignal.StoppedException;
import io.idembox.testkit.EmbeddedServers;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Runs scenarios on one set of servers. Used once. */
final class Lab {

  /** All there are, in their order. */
  static final List<Scenario> SCENARIOS =
      List.of(
          new CrashBeforeAck(),
          new TwoWorkersOneJob(),
          new KeyMadeOf(),
          new InboxAndKey(),
          new OvernightReplay(),
          new MigrationReplay());

  private final LabPlan plan;
  private final Path folder;
  private final Progress progress;
  private final StopSignal stop;

  /**
   * A lab that has not begun.
   *
   * @param folder an existing folder for settings and logs
   */
  Lab(LabPlan plan, Path folder, Progress progress, StopSignal stop) {
    this.plan = plan;
    this.folder = folder;
    this.progress = progress;
    this.stop = stop;
  }

  /**
   * Runs these scenarios. However it ends, no process and no server of it is left.
   *
   * @throws DemoFailure if a step did not come to its end
   * @throws StoppedException if the run was told to stop
   */
  List<ScenarioResult> run(List<Scenario> scenarios)
      throws DemoFailure, StoppedException, InterruptedException {
    progress.note("starting Kafka, PostgreSQL and Redis");
    try (EmbeddedServers servers = EmbeddedServers.start()) {
      return runOn(servers, scenarios);
    }
  }

  /** As {@link #run}, on servers that others opened and will close. */
  List<ScenarioResult> runOn(EmbeddedServers servers, List<Scenario> scenarios)
      throws DemoFailure, StoppedException, InterruptedException {
    LabBench bench = new LabBench(servers, plan, folder, progress, stop);
    List<ScenarioResult> results = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      stop.pause(0);
      progress.note("scenario " + scenario.id() + ": " + scenario.name());
      try {
        results.add(run(scenario, bench));
      } finally {
        progress.end();
      }
    }
    return results;
  }

  private ScenarioResult run(Scenario scenario, LabBench bench)
      throws DemoFailure, StoppedException, InterruptedException {
    long began = System.nanoTime();
    try {
      Scenario.Found found = scenario.run(bench);
      double seconds = Math.round((System.nanoTime() - began) / 1e8) / 10.0;
      return new ScenarioResult(
          scenario.id(), scenario.name(), scenario.note(), found.ours(), found.others(), seconds);
    } catch (SQLException | MessagingException | IOException failure) {
      throw new DemoFailure("scenario " + scenario.id() + " broke off", failure);
    }
  }
}
