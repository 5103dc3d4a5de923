package io.idembox.demo.run;

import io.idembox.demo.LedgerMailer;
import io.idembox.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The consumer as a process of its own, on this process's class path. Thread-safe. */
final class ConsumerProcess implements AutoCloseable {

  // The consumer finishes its batch and leaves the group within this time.
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  // What a JVM answers that ended in order upon SIGTERM: 128 + 15.
  private static final int ENDED_BY_SIGTERM = 143;

  private static final int TAIL_LINES = 15;

  private final JavaProcess process;
  private volatile boolean told;

  private ConsumerProcess(JavaProcess process) {
    this.process = process;
  }

  /**
   * Starts the consumer.
   *
   * @param settings its properties file
   * @param log the file that its output is appended to
   */
  static ConsumerProcess start(Path settings, Path log) {
    return new ConsumerProcess(
        JavaProcess.builder(LedgerMailer.class)
            .jvmArgs("-Xmx256m", "-XX:TieredStopAtLevel=1")
            .jvmArgs("-Dlogback.configurationFile=logback-consumer.xml")
            .args(settings.toAbsolutePath().toString())
            .output(log)
            .start());
  }

  /** Fails if the process has ended although nobody told it to. */
  void requireRunning() throws DemoFailure {
    if (!process.isAlive() && !told) {
      throw new DemoFailure(
          "the consumer process ended by itself, exit code " + process.exitCode().orElse(-1));
    }
  }

  /** SIGKILL. Returns when the process is gone. */
  void kill() {
    told = true;
    process.kill();
  }

  /** SIGTERM. Returns when the process has shut down in order. */
  void stop() throws DemoFailure {
    told = true;
    process.terminate();
    int code = process.awaitExit(STOP_LIMIT);
    if (code != 0 && code != ENDED_BY_SIGTERM) {
      throw new DemoFailure("the consumer did not shut down in order, exit code " + code);
    }
  }

  /** Makes sure that no process is left. */
  @Override
  public void close() {
    process.close();
  }

  /** The last lines of a log file, frames of stack traces left out; empty if there is none. */
  static List<String> tail(Path log) {
    try {
      List<String> lines =
          (Files.exists(log) ? Files.readAllLines(log) : List.<String>of())
              .stream().filter(line -> !line.startsWith("\t")).toList();
      return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    } catch (IOException unreadable) {
      return List.of(unreadable.toString());
    }
  }
}
