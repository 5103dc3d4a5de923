package io.idembox.demo.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabReportTest {
  private static final Figures PLAIN = Figures.of(Figure.MAILS, 2);

  private static final Figures ALL =
      Figures.of(Figure.DELIVERIES, 9)
          .and(Figure.ROWS, 8)
          .and(Figure.MAILS, 7)
          .and(Figure.SKIPPED, 338_400)
          .and(Figure.HANDLED, 5)
          .and(Figure.DUPLICATES, 0)
          .and(Figure.SECONDS, 4.5)
          .and(Figure.MICROS_PER_SKIP, 12.5)
          .and(Figure.RECEIPTS, 1)
          .and(Figure.REQUEUED, 1);

  @TempDir Path folder;

  @Test
  void theJsonHasTheMembersThatApplyAndNoOthers() throws Exception {
    JsonNode json = written(result(Figures.of(Figure.MAILS, 1), Figures.of(Figure.MAILS, 1)));

    assertThat(names(json)).containsExactly("scenarios");
    JsonNode scenario = json.get("scenarios").get(0);
    assertThat(names(scenario)).containsExactly("id", "name", "reference", "ours", "holds");
    assertThat(scenario.get("id").isInt()).isTrue();
    assertThat(scenario.get("name").asText()).isEqualTo("a scenario");
    assertThat(scenario.get("reference").get("mails").asInt()).isEqualTo(3);
    assertThat(scenario.at("/reference/beside/0/what").asText()).isEqualTo("plain handler");
    assertThat(scenario.at("/reference/beside/0/article/mails").asInt()).isEqualTo(2);
    assertThat(scenario.at("/reference/beside/0/here/mails").asInt()).isEqualTo(2);
    assertThat(names(scenario.get("ours"))).containsExactly("mails", "seconds");
    assertThat(scenario.at("/ours/seconds").asDouble()).isEqualTo(1.5);
    assertThat(scenario.get("holds").isBoolean()).isTrue();
    assertThat(scenario.get("holds").asBoolean()).isTrue();
  }

  @Test
  void oursHasNoOtherMembersThanThoseEight() throws Exception {
    JsonNode ours = written(result(Figures.NONE, ALL)).at("/scenarios/0/ours");

    assertThat(names(ours))
        .containsExactly(
            "deliveries",
            "rows",
            "mails",
            "skipped",
            "handled",
            "duplicates",
            "seconds",
            "microsPerSkip");
    assertThat(ours.get("seconds").asDouble()).isEqualTo(4.5);
    assertThat(ours.get("skipped").isIntegralNumber()).isTrue();
  }

  @Test
  void aFigureThatIsOffDoesNotHold() throws Exception {
    ScenarioResult off = result(Figures.of(Figure.MAILS, 1), Figures.of(Figure.MAILS, 2));

    assertThat(off.holds()).isFalse();
    assertThat(written(off).at("/scenarios/0/holds").asBoolean(true)).isFalse();
    assertThat(printed(off)).contains("DOES NOT HOLD: ours: mails is 2, not 1");
  }

  @Test
  void aPlainHandlerThatDoesNotShowTheTroubleDoesNotHoldEither() {
    Comparison ours = new Comparison("ours", PLAIN, PLAIN, PLAIN);
    Comparison plain = new Comparison("plain handler", PLAIN, PLAIN, Figures.of(Figure.MAILS, 1));

    assertThat(new ScenarioResult(1, "a scenario", "a note", ours, List.of(plain), 1.5).holds())
        .isFalse();
  }

  @Test
  void theTableShowsArticleAndOursSideBySide() {
    assertThat(printed(result(Figures.NONE, ALL)).lines().map(line -> line.replaceAll(" +", " ")))
        .contains(
            "1 a scenario article ours",
            " plain handler",
            " mails 2 2",
            " mails 3 7",
            " skipped - 338,400",
            " microseconds an event - 12.5",
            " told to requeue - 1",
            " a note",
            " holds, 1.5 s");
  }

  private static ScenarioResult result(Figures wanted, Figures ours) {
    return new ScenarioResult(
        1,
        "a scenario",
        "a note",
        new Comparison("ours", Figures.of(Figure.MAILS, 3), wanted, ours),
        List.of(new Comparison("plain handler", PLAIN, PLAIN, PLAIN)),
        1.5);
  }

  private JsonNode written(ScenarioResult result) throws Exception {
    Path file = folder.resolve("lab.json");
    LabReport.write(List.of(result), file);
    return new JsonMapper().readTree(Files.readString(file));
  }

  private static String printed(ScenarioResult result) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    LabReport.print(List.of(result), new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static List<String> names(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
