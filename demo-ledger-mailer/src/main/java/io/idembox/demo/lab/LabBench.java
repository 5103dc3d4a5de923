package io.idembox.demo.lab;

import io.idembox.demo.stage.Progress;
import io.idembox.demo.stage.StopSignal;
import io.idembox.demo.stage.Waiting;
import io.idembox.testkit.EmbeddedServers;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;

/** What scenarios work with: servers, and a workplace for each thing that is run. */
final class LabBench {
  private final EmbeddedServers servers;
  private final LabPlan plan;
  private final Path folder;
  private final Progress progress;
  private final StopSignal stop;
  private final Waiting waiting;

  LabBench(EmbeddedServers servers, LabPlan plan, Path folder, Progress progress, StopSignal stop) {
    this.servers = servers;
    this.plan = plan;
    this.folder = folder;
    this.progress = progress;
    this.stop = stop;
    this.waiting = new Waiting(stop);
  }

  /**
   * A database and a mail server that nobody used before.
   *
   * @param name of its files
   */
  Workplace workplace(String name) throws SQLException, IOException {
    return Workplace.open(servers, folder, name, waiting);
  }

  /** Makes a topic. */
  void topic(String name, int partitions) {
    servers.kafka().createTopic(name, partitions);
  }

  String bootstrapServers() {
    return servers.kafka().bootstrapServers();
  }

  LabPlan plan() {
    return plan;
  }

  Progress progress() {
    return progress;
  }

  StopSignal stop() {
    return stop;
  }

  Waiting waiting() {
    return waiting;
  }
}
