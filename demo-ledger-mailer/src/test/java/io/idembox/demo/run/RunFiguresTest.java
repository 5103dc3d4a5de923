package io.idembox.demo.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RunFiguresTest {
  private static final RunFigures RIGHT =
      new RunFigures(2300, 2000, 4650, 2100, 2550, 2000, 2000, 0, 0, 2, 41.5);

  @TempDir Path folder;

  @Test
  void theJsonFileHasExactlyTheAgreedMembersAndAllAreNumbers() throws IOException {
    Path file = folder.resolve("out.json");
    RIGHT.writeTo(file);

    JsonNode json = new JsonMapper().readTree(file.toFile());
    List<String> names = new ArrayList<>();
    json.fieldNames().forEachRemaining(names::add);
    assertThat(names)
        .containsExactly(
            "produced",
            "orders",
            "deliveries",
            "handled",
            "skipped",
            "ledgerRows",
            "mails",
            "duplicates",
            "lost",
            "kills",
            "seconds");
    assertThat(json).allSatisfy(member -> assertThat(member.isNumber()).isTrue());
    assertThat(json.get("seconds").asDouble()).isEqualTo(41.5);
    assertThat(json.get("deliveries").asLong()).isEqualTo(4650);
  }

  @Test
  void theTableShowsEachFigure() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RIGHT.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));

    assertThat(bytes.toString(StandardCharsets.UTF_8).lines().map(String::strip))
        .contains("deliveries       4650", "ledger rows      2000", "seconds          41.5")
        .hasSize(11);
  }

  @Test
  void figuresThatDoNotAddUpAreExplained() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new RunFigures(2300, 2000, 4600, 2100, 2550, 2000, 2000, 0, 0, 2, 41.5)
        .print(new PrintStream(bytes, true, StandardCharsets.UTF_8));

    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .contains("Deliveries need not be handled plus skipped");
  }

  @Test
  void aRunIsRightWhenAllFiguresAre() {
    assertThat(RIGHT.exactlyRight(DemoPlan.FULL)).isTrue();
  }

  static List<RunFigures> wrong() {
    return List.of(
        new RunFigures(2300, 2000, 1, 2099, 1, 2000, 2000, 0, 0, 2, 1),
        new RunFigures(2300, 2000, 1, 2100, 1, 2001, 2000, 0, 0, 2, 1),
        new RunFigures(2300, 2000, 1, 2100, 1, 2000, 1999, 0, 0, 2, 1),
        new RunFigures(2300, 2000, 1, 2100, 1, 2000, 2000, 1, 0, 2, 1),
        new RunFigures(2300, 2000, 1, 2100, 1, 2000, 2000, 0, 1, 2, 1));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void aRunIsWrongWhenOneFigureIs(RunFigures figures) {
    assertThat(figures.exactlyRight(DemoPlan.FULL)).isFalse();
  }
}
