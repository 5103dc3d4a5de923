package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The jar and the script that users start, on nothing but a JVM. */
final class ExecutableJarTest extends ServiceTestBase {
  @Test
  void theScriptPrintsTheHelp() throws Exception {
    Process process = idembox("--help");
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(output(process)).contains("run", "config", "Exit codes");
  }

  @Test
  void theScriptRunsTheConsumer() throws Exception {
    send(0, "m1", "{\"id\":\"o1\"}");
    Process process = idembox("run", "--config", config.toString());
    try {
      await().atMost(SOON).until(() -> count("select count(*) from sent") == 1);
      process.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143);
    } finally {
      process.destroyForcibly();
    }
  }

  private Process idembox(String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of("bin/idembox"));
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start();
  }

  private String output(Process process) throws IOException {
    assertThat(process.isAlive()).isFalse();
    return Files.readString(Path.of(folder.toString(), "output"));
  }
}
