package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JavaProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void itRunsWithOurClassPathAndTheGivenArgumentsAndEnvironment() {
    try (JavaProcess process =
        JavaProcess.builder(Speaker.class)
            .args("a b", "c")
            .jvmArgs("-Dp=q")
            .env("E", "f")
            .start()) {
      assertThat(process.awaitExit(LIMIT)).isEqualTo(3);
      assertThat(process.exitCode()).hasValue(3);
      assertThat(process.output()).containsExactly("a b|c|q|f", "on standard error");
    }
  }

  @Test
  void sigkillEndsItWithoutItsShutdownHooks() {
    try (JavaProcess process = JavaProcess.start(Sleeper.class)) {
      process.awaitLine("ready", LIMIT);
      assertThat(process.exitCode()).isEmpty();
      process.kill();
      assertThat(process.isAlive()).isFalse();
      assertThat(process.exitCode()).hasValue(137);
      assertThat(process.output()).doesNotContain("hook ran");
    }
  }

  @Test
  void sigtermRunsItsShutdownHooks() {
    try (JavaProcess process = JavaProcess.start(Sleeper.class)) {
      process.awaitLine("ready", LIMIT);
      process.terminate();
      assertThat(process.awaitExit(LIMIT)).isEqualTo(143);
      assertThat(process.output()).contains("hook ran");
    }
  }

  @Test
  void aFrozenProcessGoesOnOnceThawed() {
    try (JavaProcess process = JavaProcess.start(Sleeper.class)) {
      process.awaitLine("ready", LIMIT);
      process.freeze();
      process.terminate(); // kept by the system until it runs again
      assertThatThrownBy(() -> process.awaitExit(Duration.ofMillis(500)))
          .hasMessageContaining("has not ended");
      process.thaw();
      assertThat(process.awaitExit(LIMIT)).isEqualTo(143);
    }
  }

  @Test
  void aLineThatNeverComesIsReportedWithTheOutput() {
    try (JavaProcess process = JavaProcess.builder(Speaker.class).args("hello").start()) {
      assertThatThrownBy(() -> process.awaitLine("goodbye", LIMIT))
          .isInstanceOf(TestkitException.class)
          .hasMessageContaining("goodbye")
          .hasMessageContaining("ended with 3")
          .hasMessageContaining("hello");
    }
  }

  @Test
  void anOutputFileOfOnesOwnStays(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("out.log");
    try (JavaProcess process =
        JavaProcess.builder(Speaker.class).args("first").output(file).start()) {
      process.awaitExit(LIMIT);
    }
    try (JavaProcess process =
        JavaProcess.builder(Speaker.class).args("second").output(file).start()) {
      process.awaitExit(LIMIT);
    }
    assertThat(Files.readString(file)).contains("first").contains("second");
  }

  /** The reason for the shell that waits beside each temporary folder. */
  @Test
  void serversAndFoldersOfAJvmThatIsKilledGoToo() {
    try (JavaProcess process = JavaProcess.start(Owner.class)) {
      String[] words = process.awaitLine("owns ", LIMIT).split(" ", -1);
      Path postgres = Path.of(words[1]);
      Path kafka = Path.of(words[2]);
      Path redis = Path.of(words[3]);
      Optional<ProcessHandle> postmaster = ProcessHandle.of(Long.parseLong(words[4]));
      assertThat(postgres).exists();
      assertThat(kafka).exists();
      assertThat(postmaster).isPresent();
      assertThat(redis).exists();

      process.kill();

      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> {
                assertThat(postgres).doesNotExist();
                assertThat(kafka).doesNotExist();
                assertThat(postmaster.get().isAlive()).isFalse();
                assertThat(redis).doesNotExist();
              });
    }
  }

  /** Says what it was given. */
  static final class Speaker {
    public static void main(String[] args) {
      System.out.println(
          String.join("|", args) + "|" + System.getProperty("p") + "|" + System.getenv("E"));
      System.err.println("on standard error");
      System.exit(3);
    }
  }

  /** Waits for a signal. */
  static final class Sleeper {
    public static void main(String[] args) throws InterruptedException {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook ran")));
      System.out.println("ready");
      Thread.currentThread().join();
    }
  }

  /** Starts servers and never closes them. */
  static final class Owner {
    public static void main(String[] args) throws Exception {
      EmbeddedServers servers = EmbeddedServers.start();
      Path data = servers.postgres().dataDirectory();
      String pid = Files.readAllLines(data.resolve("postmaster.pid")).get(0);
      Path kafka = Folders.of("kafka").iterator().next();
      Path redis = Folders.of("redis").iterator().next();
      System.out.println("owns " + data.getParent() + " " + kafka + " " + redis + " " + pid);
      Thread.currentThread().join();
    }
  }
}
