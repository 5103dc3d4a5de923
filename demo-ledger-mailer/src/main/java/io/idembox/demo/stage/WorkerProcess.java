package io.idembox.demo.stage;

import io.idembox.testkit.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** A worker as a process of its own, on this process's class path. Thread-safe. */
public final class WorkerProcess implements AutoCloseable {

  // A consumer finishes its batch and leaves the group within this time.
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  // What a JVM answers that ended in order upon SIGTERM: 128 + 15.
  private static final int ENDED_BY_SIGTERM = 143;

  private static final int TAIL_LINES = 15;

  private final String name;
  private final JavaProcess process;
  private volatile boolean told;

  private WorkerProcess(String name, JavaProcess process) {
    this.name = name;
    this.process = process;
  }

  /**
   * Starts a class's {@code main} in a small JVM that is there soon.
   *
   * @param name what the process is in messages, such as "the consumer"
   * @param log the file that its output is appended to
   */
  public static WorkerProcess start(String name, Class<?> mainClass, Path log, String... args) {
    return start(
        name,
        JavaProcess.builder(mainClass)
            .jvmArgs("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
            .jvmArgs("-Dlogback.configurationFile=logback-consumer.xml")
            .args(args),
        log);
  }

  /** Starts a process whose JVM is set up by the caller. */
  public static WorkerProcess start(String name, JavaProcess.Builder process, Path log) {
    return new WorkerProcess(name, process.output(log).start());
  }

  /** Fails if the process has ended although nobody told it to. */
  public void requireRunning() throws DemoFailure {
    if (!process.isAlive() && !told) {
      throw new DemoFailure(name + " ended by itself, exit code " + process.exitCode().orElse(-1));
    }
  }

  /** The exit code of a process that has ended. */
  public OptionalInt exitCode() {
    return process.exitCode();
  }

  /** SIGKILL. Returns when the process is gone. */
  public void kill() {
    told = true;
    process.kill();
  }

  /** SIGTERM. Returns when the process has shut down in order. */
  public void stop() throws DemoFailure {
    told = true;
    process.terminate();
    int code = process.awaitExit(STOP_LIMIT);
    if (code != 0 && code != ENDED_BY_SIGTERM) {
      throw new DemoFailure(name + " did not shut down in order, exit code " + code);
    }
  }

  /** Makes sure that no process is left. */
  @Override
  public void close() {
    process.close();
  }

  /** The last lines of a log file, frames of stack traces left out; empty if there is none. */
  public static List<String> tail(Path log) {
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
