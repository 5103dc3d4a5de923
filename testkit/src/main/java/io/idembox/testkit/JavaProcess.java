package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Java class's {@code main} in a JVM of its own, with this JVM's class path: for what only the
 * death of a process shows.
 *
 * <p>It runs in a temporary folder, which holds its output and goes with {@link #close()}; if this
 * JVM ends first, by whatever cause, the process is killed. Thread-safe.
 */
public final class JavaProcess implements AutoCloseable {
  private final String name;
  private final Process process;
  private final TempFolder folder;
  private final Path output;

  private JavaProcess(String name, Process process, TempFolder folder, Path output) {
    this.name = name;
    this.process = process;
    this.folder = folder;
    this.output = output;
  }

  /** Starts the class without further settings. */
  public static JavaProcess start(Class<?> mainClass, String... args) {
    return builder(mainClass.getName()).args(args).start();
  }

  /** A process of this class, with settings. */
  public static Builder builder(Class<?> mainClass) {
    return builder(mainClass.getName());
  }

  /** A process of the class of this binary name, with settings. */
  public static Builder builder(String mainClass) {
    return new Builder(mainClass);
  }

  /** The number of the process. */
  public long pid() {
    return process.pid();
  }

  /** Whether it runs, a frozen one too. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** SIGKILL; returns when the process is gone. No effect on one that has ended. */
  public void kill() {
    process.destroyForcibly();
    awaitExit(Duration.ofSeconds(10));
  }

  /**
   * SIGTERM, as an orchestrator sends it; does not wait.
   *
   * @throws TestkitException if the process has ended
   */
  public void terminate() {
    Signals.send(pid(), "TERM");
  }

  /**
   * SIGSTOP: no thread of it runs until {@link #thaw}, as in a long pause of the garbage collector
   * or of the machine.
   *
   * @throws TestkitException if the process has ended
   */
  public void freeze() {
    Signals.send(pid(), "STOP");
  }

  /**
   * SIGCONT.
   *
   * @throws TestkitException if the process has ended
   */
  public void thaw() {
    Signals.send(pid(), "CONT");
  }

  /**
   * Its exit code once it has ended: 128 and the signal's number for one that a signal ended, 137
   * for SIGKILL.
   */
  public OptionalInt exitCode() {
    return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
  }

  /**
   * Waits for the end.
   *
   * @return the exit code
   * @throws TestkitException if it has not ended within the limit: the message holds the end of its
   *     output
   */
  public int awaitExit(Duration limit) {
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new TestkitException(
            name + " has not ended within " + limit + ": " + ServerProcess.tail(output));
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("Interrupted while waiting for " + name + " to end", e);
    }
  }

  /** Where standard output and standard error go. */
  public Path outputFile() {
    return output;
  }

  /** What it has written so far, in lines. */
  public List<String> output() {
    try {
      return new String(Files.readAllBytes(output), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Waits for a line that contains the text.
   *
   * @return the first such line, however long ago it was written
   * @throws TestkitException if it has ended, or the limit has passed, without one: the message
   *     holds the end of its output
   */
  public String awaitLine(String text, Duration limit) {
    return awaitLine("a line with '" + text + "'", line -> line.contains(text), limit);
  }

  private String awaitLine(String what, Predicate<String> wanted, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      boolean last = !process.isAlive() || System.nanoTime() - deadline > 0;
      for (String line : output()) {
        if (wanted.test(line)) {
          return line;
        }
      }
      if (last) {
        String fate =
            process.isAlive() ? "within " + limit : "before it ended with " + process.exitValue();
        throw new TestkitException(
            name + " wrote not " + what + " " + fate + ": " + ServerProcess.tail(output));
      }
      Pause.millis(20);
    }
  }

  /** Kills it if it runs, and removes its folder. Idempotent. */
  @Override
  public void close() {
    kill();
    folder.close();
  }

  /** Settings of a process. Not thread-safe. */
  public static final class Builder {
    private final String mainClass;
    private final List<String> args = new ArrayList<>();
    private final List<String> jvmArgs = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private Predicate<String> onClassPath = entry -> true;
    private @Nullable Path output;

    private Builder(String mainClass) {
      this.mainClass = requireNonNull(mainClass, "mainClass");
    }

    /** Adds arguments of {@code main}. */
    public Builder args(String... values) {
      args.addAll(List.of(values));
      return this;
    }

    /**
     * Adds options of the JVM, such as {@code -Xmx256m} or {@code -Dname=value}; it inherits none.
     */
    public Builder jvmArgs(String... values) {
      jvmArgs.addAll(List.of(values));
      return this;
    }

    /** Sets a variable of the environment, beside those that are inherited. */
    public Builder env(String variable, String value) {
      environment.put(requireNonNull(variable, "variable"), requireNonNull(value, "value"));
      return this;
    }

    /**
     * Appends the output to this file, which stays, instead of one that goes with the process's
     * folder.
     */
    public Builder output(Path file) {
      output = requireNonNull(file, "file").toAbsolutePath();
      return this;
    }

    /**
     * Keeps only these entries of our class path: shows what works without optional dependencies.
     */
    Builder classPath(Predicate<String> entries) {
      onClassPath = entries;
      return this;
    }

    /**
     * Starts the process.
     *
     * @throws TestkitException if it cannot be started; a class that is not there shows in its
     *     output and exit code
     */
    public JavaProcess start() {
      TempFolder folder = TempFolder.create("java");
      Path out = output == null ? folder.path().resolve("output.log") : output;
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvmArgs);
      command.addAll(List.of("-cp", classPath(), mainClass));
      command.addAll(args);
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.path().toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(out.toFile()));
      builder.environment().putAll(environment);
      try {
        Process process = builder.start();
        folder.watch(process.pid(), "KILL");
        return new JavaProcess(
            mainClass.substring(mainClass.lastIndexOf('.') + 1), process, folder, out);
      } catch (IOException e) {
        folder.close();
        throw new TestkitException(mainClass + " cannot be started: " + e.getMessage(), e);
      }
    }

    // Its working directory is another than ours.
    private String classPath() {
      return Arrays.stream(System.getProperty("java.class.path", "").split(File.pathSeparator, -1))
          .filter(onClassPath)
          .map(entry -> Path.of(entry).toAbsolutePath().toString())
          .collect(Collectors.joining(File.pathSeparator));
    }
  }
}
