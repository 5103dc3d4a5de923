package io.idembox.demo.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.demo.stage.StopSignal;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the command {@code lab} says about its arguments, before anything starts. */
class LabArgumentsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  @Test
  void helpNamesTheScenariosTheOptionsAndTheExitCodes() {
    assertThat(execute("lab", "--help")).isZero();
    assertThat(out.toString())
        .contains("--scenario=N", "--json=FILE", "6  migration replay", "Exit codes");
  }

  @Test
  void theHelpOfTheDemoNamesTheLab() {
    assertThat(execute("--help")).isZero();
    assertThat(out.toString()).contains("lab");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "7", "-1", "six", "1.5"})
  void aScenarioThatThereIsNotIsRefused(String number) {
    assertThat(execute("lab", "--scenario", number)).isEqualTo(2);
    assertThat(err.toString()).contains("--scenario is " + number, "1 to 6", "--help");
  }

  @Test
  void anUnknownOptionIsNamed() {
    assertThat(execute("lab", "--scenaro", "1")).isEqualTo(2);
    assertThat(err.toString()).contains("unknown argument: --scenaro");
  }

  @Test
  void aScenarioWithoutItsOptionIsNamed() {
    assertThat(execute("lab", "6")).isEqualTo(2);
    assertThat(err.toString()).contains("unknown argument: 6");
  }

  @Test
  void anUnknownCommandIsNamed() {
    assertThat(execute("lub")).isEqualTo(2);
    assertThat(err.toString()).contains("unknown argument: lub", "--help");
  }

  @Test
  void aJsonFileInNoFolderIsRefusedBeforeTheRun() {
    assertThat(execute("lab", "--json", folder.resolve("none/out.json").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("the folder", "does not exist");
  }

  @Test
  void aJsonFileInFrontOfTheCommandIsRefused() {
    assertThat(execute("--json", folder.resolve("out.json").toString(), "lab")).isEqualTo(2);
    assertThat(err.toString()).contains("--json belongs behind lab");
  }

  private int execute(String... args) {
    return DemoCommand.commandLine(new StopSignal())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }
}
