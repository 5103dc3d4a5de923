package io.idembox.demo.stage;

import io.idembox.demo.stage.StopSignal.StoppedException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What is around a run: its folder, its failures in words, its exit code. Not thread-safe. */
public final class RunFrame {

  /** Stopped by the user, by Ctrl-C or SIGTERM. */
  private static final int STOPPED = 130;

  private static final int FAILED = 1;

  private final Path parent;
  private final StopSignal stop;
  private final PrintStream err;

  /**
   * A frame.
   *
   * @param parent the folder that the run's own is made in
   * @param err where failures go
   */
  public RunFrame(Path parent, StopSignal stop, PrintStream err) {
    this.parent = parent;
    this.stop = stop;
    this.err = err;
  }

  /** A run. */
  public interface Body {

    /** Runs in this folder, and answers the exit code. */
    int run(Path folder) throws DemoFailure, StoppedException, InterruptedException, IOException;
  }

  /**
   * Runs in a folder of its own, which goes afterwards. If the run fails, the reason is told and
   * the logs stay.
   *
   * @return the exit code
   * @throws IOException if the folder cannot be made or removed
   */
  public int run(Body body) throws IOException {
    Files.createDirectories(parent);
    Path folder = Files.createTempDirectory(parent.toAbsolutePath(), "run-");
    boolean keepLogs = false;
    try {
      int code = body.run(folder);
      keepLogs = code != 0;
      return code;
    } catch (StoppedException
        | DemoFailure
        | InterruptedException
        | IOException
        | RuntimeException failure) {
      if (stop.isRequested()) {
        // Whatever failed: a server or a worker may have met the signal first.
        err.println("stopped");
        return STOPPED;
      }
      keepLogs = true;
      explain(failure);
      return FAILED;
    } finally {
      if (keepLogs) {
        showLastLog(folder);
      }
      tidy(folder, keepLogs);
    }
  }

  private void explain(Throwable failure) {
    err.println("error: " + failure.getMessage());
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      err.println("  caused by: " + cause);
    }
  }

  /** That of the process that ran last. */
  private void showLastLog(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      files
          .filter(RunFrame::isLog)
          .max(Comparator.comparingLong(log -> log.toFile().lastModified()))
          .ifPresent(this::show);
    }
  }

  private void show(Path log) {
    err.println("The last log is " + log + "; it ends with:");
    WorkerProcess.tail(log).forEach(line -> err.println("  | " + line));
  }

  private static void tidy(Path folder, boolean keepLogs) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(folder)) {
      files = walk.sorted(Comparator.reverseOrder()).toList();
    }
    List<Path> kept = keepLogs ? files.stream().filter(RunFrame::isLog).toList() : List.of();
    for (Path file : files) {
      if (kept.stream().noneMatch(log -> log.startsWith(file))) {
        Files.delete(file);
      }
    }
  }

  private static boolean isLog(Path file) {
    return file.toString().endsWith(".log");
  }
}
