package io.idembox.demo.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.demo.stage.StopSignal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void helpNamesTheOptionAndTheExitCodes() {
    assertThat(execute("--help")).isZero();
    assertThat(out.toString()).contains("--json=FILE", "Exit codes", "130");
  }

  @Test
  void anUnknownOptionIsNamedAndNothingRuns() {
    assertThat(execute("--jsn", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("--jsn", "Possible solutions: --json");
  }

  @Test
  void aJsonFileInNoFolderIsRefusedBeforeTheRun() {
    assertThat(execute("--json", folder.resolve("none/out.json").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("the folder", "none", "does not exist", "--help");
  }

  @Test
  void aFolderAsJsonFileIsRefusedBeforeTheRun() {
    assertThat(execute("--json", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("is a folder");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aJsonFileThatCannotBeMadeIsRefusedBeforeTheRun() {
    assertThat(execute("--json", "/proc/out.json")).isEqualTo(2);
    assertThat(err.toString()).contains("/proc/out.json", "cannot be written");
  }

  private int execute(String... args) {
    return DemoCommand.commandLine(new StopSignal())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }
}
