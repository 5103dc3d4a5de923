package io.idembox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class BenchmarkCommandTest {
  private static final List<Workload> USUAL =
      Arrays.stream(Workload.values()).filter(w -> w != Workload.LARGE_INBOX).toList();

  private final CommandLine command = BenchmarkCommand.commandLine();
  private final StringWriter err = new StringWriter();

  @Test
  void withoutArgumentsEverythingIsMeasuredInFull() {
    BenchmarkPlan plan = plan();

    assertThat(plan.workloads()).containsExactlyElementsOf(USUAL);
    assertThat(plan.orders()).isEqualTo(200_000);
    assertThat(plan.partitions()).isEqualTo(8);
    assertThat(plan.inboxRows()).isEqualTo(50_000_000);
    assertThat(plan.rounds()).isEqualTo(3);
    assertThat(plan.seconds()).isEqualTo(10);
    assertThat(plan.warmUp()).isTrue();
    for (Workload workload : Workload.values()) {
      assertThat(plan.contendersOf(workload)).isEqualTo(workload.contenders());
    }
  }

  @Test
  void quickMeansOneRoundOfOnePass() {
    BenchmarkPlan plan = plan("--quick");

    assertThat(plan.orders()).isEqualTo(10_000);
    assertThat(plan.rounds()).isEqualTo(1);
    assertThat(plan.seconds()).isZero();
    assertThat(plan.warmUp()).isFalse();
    assertThat(plan.workloads()).containsExactlyElementsOf(USUAL);
  }

  @Test
  void explicitNumbersWinOverQuick() {
    BenchmarkPlan plan =
        plan(
            "--quick",
            "--records",
            "500",
            "--rounds",
            "2",
            "--seconds",
            "1.5",
            "--partitions",
            "1");

    assertThat(plan.orders()).isEqualTo(500);
    assertThat(plan.rounds()).isEqualTo(2);
    assertThat(plan.seconds()).isEqualTo(1.5);
    assertThat(plan.partitions()).isEqualTo(1);
  }

  @Test
  void namedWorkloadsAndContendersAreAllThatIsMeasured() {
    BenchmarkPlan plan =
        plan("--workload", "replay", "--workload", "mixed", "--contender", "raw-poll");

    assertThat(plan.workloads()).containsExactly(Workload.REPLAY, Workload.MIXED);
    assertThat(plan.contendersOf(Workload.REPLAY)).containsExactly(Contender.RAW_POLL);
    assertThat(plan.contendersOf(Workload.MIXED)).isEmpty();
  }

  @Test
  void aLargeInboxIsMeasuredWhenItIsNamed() {
    BenchmarkPlan plan = plan("--workload", "large-inbox", "--inbox-rows", "1000");

    assertThat(plan.workloads()).containsExactly(Workload.LARGE_INBOX);
    assertThat(plan.inboxRows()).isEqualTo(1_000);
  }

  @ParameterizedTest
  @CsvSource({
    "--workload, first, no workload is named 'first'",
    "--contender, spring, no contender is named 'spring'",
    "--records, 99, --records must be 100 to 5",
    "--records, many, Invalid value for option '--records'",
    "--inbox-rows, 0, --inbox-rows must be 1 to 200",
    "--partitions, 0, --partitions must be 1 to 64",
    "--rounds, 0, --rounds must be 1 to 100",
    "--seconds, -1, --seconds must be 0 to 600",
    "--fast, 1, Unknown options: '--fast'",
  })
  void aWrongArgumentIsRefusedByName(String option, String value, String complaint) {
    assertThat(execute(option, value)).isEqualTo(2);
    assertThat(err.toString()).startsWith("error: ").contains(complaint).contains("See --help.");
  }

  @Test
  void aFileThatCannotBeWrittenIsRefusedBeforeAnythingIsMeasured(@TempDir Path folder) {
    Path json = folder.resolve("missing").resolve("figures.json");

    assertThat(execute("--json", json.toString())).isEqualTo(2);
    assertThat(err.toString()).contains(json.toString()).contains("does not exist");
  }

  @Test
  void filesAndFoldersAreNotTakenForEachOther(@TempDir Path folder) throws IOException {
    Path file = Files.createFile(folder.resolve("file"));

    assertThat(execute("--json", folder.toString())).isEqualTo(2);
    assertThat(execute("--profile", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("is a folder").contains("is no folder");
  }

  @Test
  void contendersOfWhomNoneTakesPartAreRefused() {
    assertThat(execute("--workload", "mixed", "--contender", "raw-poll")).isEqualTo(2);
    assertThat(err.toString()).contains("none of [raw-poll] takes part in [mixed]");
  }

  private BenchmarkPlan plan(String... args) {
    command.parseArgs(args);
    return ((BenchmarkCommand) command.getCommand()).plan();
  }

  private int execute(String... args) {
    return command.setErr(new PrintWriter(err, true)).execute(args);
  }
}
