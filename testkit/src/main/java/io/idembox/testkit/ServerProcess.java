package io.idembox.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server that runs in the foreground of its own process and logs to a file in its folder. */
final class ServerProcess {
  private static final int TAIL_CHARS = 2_000;

  private final String name;
  private final Process process;
  private final TempFolder folder;
  private final Path log;

  private ServerProcess(String name, Process process, TempFolder folder, Path log) {
    this.name = name;
    this.process = process;
    this.folder = folder;
    this.log = log;
  }

  /**
   * Starts the command in the folder.
   *
   * @param stopSignal what asks this server to end soon with whole files, without waiting for its
   *     clients
   * @throws ServerStartException if the command cannot be started
   */
  static ServerProcess start(
      String name, List<String> command, TempFolder folder, String stopSignal) {
    Path log = folder.path().resolve(name + ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(folder.path().toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      process.getOutputStream().close();
      folder.watch(process.pid(), stopSignal);
      return new ServerProcess(name, process, folder, log);
    } catch (IOException e) {
      throw new ServerStartException(
          name + " did not start: " + command.get(0) + ": " + e.getMessage(), e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Sends the signal and waits for the end; past the limit SIGKILL. No effect on a process that has
   * ended.
   */
  void stop(String signal, Duration limit) {
    if (process.isAlive()) {
      Signals.send(process.pid(), signal);
    }
    if (!waitFor(limit)) {
      kill();
    }
    folder.unwatch(process.pid());
  }

  /**
   * SIGKILL for the process and all that it started, at once; returns when all of them are gone.
   */
  void kill() {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    Duration limit = Duration.ofSeconds(10);
    if (!waitFor(limit)
        || !Pause.until(limit, () -> children.stream().noneMatch(ProcessHandle::isAlive))) {
      throw new TestkitException(
          name + " (process " + process.pid() + ") is still there " + limit + " after SIGKILL");
    }
    folder.unwatch(process.pid());
  }

  private boolean waitFor(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new TestkitException("Interrupted while waiting for " + name + " to end", e);
    }
  }

  /** The end of what the server has logged, for an error message. */
  String logTail() {
    return tail(log);
  }

  static String tail(Path log) {
    try {
      String text = Files.exists(log) ? Files.readString(log, StandardCharsets.ISO_8859_1) : "";
      return text.substring(Math.max(0, text.length() - TAIL_CHARS)).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
