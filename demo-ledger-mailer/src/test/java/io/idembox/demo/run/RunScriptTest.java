package io.idembox.demo.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the script says when the machine lacks something. */
class RunScriptTest {
  private static final Path SCRIPT = Path.of("run").toAbsolutePath();

  @TempDir Path folder;

  private record Ended(int code, String output) {}

  @Test
  void anOldJdkIsNamed() throws Exception {
    Path home = fakeJavaHome("11");

    Ended ended = run(SCRIPT, home);

    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.output()).contains("Java 11", home.toString(), "JDK 17 or newer");
  }

  @Test
  void aRuntimeWithoutCompilerIsNamed() throws Exception {
    Path home = fakeJavaHome("17");

    Ended ended = run(SCRIPT, home);

    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.output()).contains("no compiler", "install a JDK");
  }

  @Test
  void aMissingJavaIsNamed() throws Exception {
    Ended ended = run(SCRIPT, folder.resolve("nowhere"));

    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.output()).contains("nowhere", "JDK 17 or newer");
  }

  @Test
  void aMissingMavenIsNamed() throws Exception {
    Path home = fakeJavaHome("17");
    executable(home.resolve("bin/javac"), "#!/bin/sh\n");
    // A copy that was never built, so that it needs Maven.
    Path module = Files.createDirectories(folder.resolve("clone/demo"));
    Path copy = Files.copy(SCRIPT, module.resolve("run"));

    Ended ended = run(copy, home);

    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.output()).contains("Maven 3.8 or newer");
  }

  private Path fakeJavaHome(String version) throws IOException {
    Path home = folder.resolve("jdk");
    Files.createDirectories(home.resolve("bin"));
    executable(
        home.resolve("bin/java"),
        """
        #!/bin/sh
        echo "    java.home = %s"
        echo "    java.specification.version = %s"
        """
            .formatted(home, version));
    return home;
  }

  private static void executable(Path file, String content) throws IOException {
    Files.writeString(file, content);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private Ended run(Path script, Path javaHome) throws IOException, InterruptedException {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    for (String tool : new String[] {"bash", "sed", "dirname", "readlink", "find"}) {
      executable(bin.resolve(tool), "#!/bin/sh\nexec " + which(tool) + " \"$@\"\n");
    }
    ProcessBuilder builder = new ProcessBuilder(which("bash").toString(), script.toString());
    builder.environment().clear();
    builder.environment().put("PATH", bin.toString());
    builder.environment().put("JAVA_HOME", javaHome.toString());
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return new Ended(process.exitValue(), output);
  }

  private static Path which(String tool) {
    for (String folder : System.getenv("PATH").split(":", -1)) {
      Path file = Path.of(folder, tool);
      if (Files.isExecutable(file)) {
        return file;
      }
    }
    throw new AssertionError(tool + " is not on the PATH");
  }
}
