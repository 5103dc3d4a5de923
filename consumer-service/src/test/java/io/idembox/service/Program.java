package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * The program as its users start it: the script, the jar, a folder with {@code idembox.yaml}, and
 * variables. Whatever it prints is searched for secrets that were planted.
 */
final class Program {
  /** How every planted secret begins. */
  static final String PLANTED = "planted-";

  private static final Path SCRIPT = Path.of("bin/idembox").toAbsolutePath();
  private static final String STARTED = " starts; its effects are in the namespace ";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern STACK = Pattern.compile("(?m)^\\s+at [\\w.$]+\\(");

  private final Path home;
  private final Map<String, String> variables;
  private final Semaphore places;
  private final AtomicInteger count;

  private Program(Path home, Map<String, String> variables, Semaphore places, AtomicInteger count) {
    this.home = home;
    this.variables = variables;
    this.places = places;
    this.count = count;
  }

  static Program in(Path home) {
    return new Program(home, Map.of(), new Semaphore(2), new AtomicInteger());
  }

  /** The same with more variables, or other values. */
  Program with(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(variables);
    all.putAll(more);
    return new Program(home, all, places, count);
  }

  Program with(String variable, String value) {
    return with(Map.of(variable, value));
  }

  /** Starts a command, as soon as fewer than two others run. */
  Running start(String... args) {
    places.acquireUninterruptibly();
    Running running;
    try {
      running = launch(args);
    } catch (RuntimeException e) {
      places.release();
      throw e;
    }
    var unused = running.process.onExit().thenRun(places::release);
    return running;
  }

  Ran run(String... args) {
    return start(args).ran();
  }

  /**
   * Starts the service, and returns when it works. A start that is refused because a server did not
   * answer in time is made again, as a supervisor would.
   */
  Running service(String... args) {
    for (int refused = 0; ; refused++) {
      Running running = launch(args);
      await()
          .atMost(LIMIT)
          .until(() -> running.output().contains(STARTED) || !running.process.isAlive());
      if (running.process.isAlive()
          || refused == 4
          || running.process.exitValue() != ExitCode.SERVER) {
        return running;
      }
      running.ran();
    }
  }

  /** Starts a process that is not counted, and does not wait for anything. */
  Running launch(String... args) {
    List<String> line = new ArrayList<>();
    line.add(SCRIPT.toString());
    line.addAll(List.of(args));
    int number = count.incrementAndGet();
    Path out = home.resolve("out-" + number);
    Path err = home.resolve("err-" + number);
    ProcessBuilder builder = new ProcessBuilder(line).directory(home.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("IDEMBOX_"));
    builder.environment().putAll(variables);
    try {
      return new Running(
          List.of(args),
          builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start(),
          out,
          err);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** A process. Closing it kills it. */
  record Running(List<String> args, Process process, Path out, Path err) implements AutoCloseable {
    String output() {
      try {
        return Files.readString(out);
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    /** What it has said on both, for a failure's message. */
    String said() {
      try {
        return output() + Files.readString(err);
      } catch (IOException e) {
        return e.toString();
      }
    }

    /** SIGTERM. */
    void terminate() {
      process.destroy();
    }

    /** SIGKILL; returns when it is gone. */
    void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }

    /** What came of it, once it has ended. */
    Ran ran() {
      try {
        assertThat(process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS))
            .as("%s ends within %s", args, LIMIT)
            .isTrue();
        Ran ran = new Ran(args, process.exitValue(), Files.readString(out), Files.readString(err));
        assertThat(ran.out + ran.err).as("%s shows no secret", args).doesNotContain(PLANTED);
        return ran;
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      } finally {
        process.destroyForcibly();
      }
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** What a command printed, and its exit code. */
  record Ran(List<String> args, int code, String out, String err) {
    /** It did what it should: its answer is on standard output, and there is nothing to say. */
    Ran good() {
      return exits(ExitCode.DONE);
    }

    Ran exits(int wanted) {
      assertThat(code).as("%s", this).isEqualTo(wanted);
      assertThat(err).as("standard error of %s", args).doesNotContain("error:");
      assertThat(out).as("standard output of %s", args).isNotBlank();
      return this;
    }

    Ran says(String... texts) {
      assertThat(out).as("%s", args).contains(texts);
      return this;
    }

    /** It refused: one line for people that names these, nothing on standard output. */
    Ran refuses(int wanted, String... texts) {
      assertThat(code).as("%s", this).isEqualTo(wanted);
      assertThat(err).as("%s", args).startsWith("error: ").contains(texts);
      assertThat(STACK.matcher(err).find()).as("a stack trace in %s", this).isFalse();
      assertThat(out).as("standard output of %s", args).isEmpty();
      return this;
    }

    JsonNode json() {
      exits(code);
      try {
        return Json.MAPPER.readTree(out);
      } catch (IOException e) {
        throw new AssertionError("no JSON: " + this, e);
      }
    }
  }
}
