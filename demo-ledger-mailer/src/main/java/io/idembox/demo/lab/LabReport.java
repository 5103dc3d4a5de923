package io.idembox.demo.lab;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Shows what the scenarios came to. */
final class LabReport {
  private LabReport() {}

  /** The table, for people. */
  static void print(List<ScenarioResult> results, PrintStream out) {
    for (ScenarioResult result : results) {
      row(out, result.id() + "  " + result.name(), "article", "ours");
      for (Comparison one : result.comparisons()) {
        print(one, out);
      }
      out.println("   " + result.note());
      if (result.holds()) {
        out.printf(Locale.ROOT, "   holds, %.1f s%n", result.seconds());
      } else {
        result.faults().forEach(fault -> out.println("   DOES NOT HOLD: " + fault));
      }
      out.println();
    }
  }

  private static void print(Comparison one, PrintStream out) {
    out.println("   " + one.what());
    Set<Figure> figures = EnumSet.noneOf(Figure.class);
    figures.addAll(one.article().present());
    figures.addAll(one.ours().present());
    for (Figure figure : figures) {
      row(out, "     " + figure.label(), shown(one.article(), figure), shown(one.ours(), figure));
    }
  }

  private static void row(PrintStream out, String what, String article, String ours) {
    out.printf("%-48s %12s %12s%n", what, article, ours);
  }

  private static String shown(Figures figures, Figure figure) {
    return figures
        .get(figure)
        .map(
            value ->
                value instanceof Double
                    ? String.format(Locale.ROOT, "%,.1f", value.doubleValue())
                    : String.format(Locale.ROOT, "%,d", value.longValue()))
        .orElse("-");
  }

  /**
   * The JSON file.
   *
   * @throws IOException if it cannot be written
   */
  static void write(List<ScenarioResult> results, Path file) throws IOException {
    JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    Files.writeString(file, mapper.writeValueAsString(json(results, mapper)) + "\n");
  }

  static ObjectNode json(List<ScenarioResult> results, JsonMapper mapper) {
    ObjectNode root = mapper.createObjectNode();
    ArrayNode scenarios = root.putArray("scenarios");
    for (ScenarioResult result : results) {
      ObjectNode scenario = scenarios.addObject();
      scenario.put("id", result.id());
      scenario.put("name", result.name());
      ObjectNode reference = scenario.putObject("reference");
      put(reference, result.ours().article());
      ArrayNode others = mapper.createArrayNode();
      for (Comparison other : result.others()) {
        ObjectNode beside = others.addObject();
        beside.put("what", other.what());
        put(beside.putObject("article"), other.article());
        put(beside.putObject("here"), other.ours());
      }
      if (!others.isEmpty()) {
        reference.set("beside", others);
      }
      ObjectNode ours = scenario.putObject("ours");
      for (Figure figure : result.ours().ours().present()) {
        if (figure.isHeadline()) {
          put(ours, figure, result.ours().ours().get(figure).orElseThrow());
        }
      }
      if (result.ours().ours().get(Figure.SECONDS).isEmpty()) {
        ours.put(Figure.SECONDS.member(), result.seconds());
      }
      scenario.put("holds", result.holds());
    }
    return root;
  }

  private static void put(ObjectNode node, Figures figures) {
    for (Figure figure : figures.present()) {
      put(node, figure, figures.get(figure).orElseThrow());
    }
  }

  private static void put(ObjectNode node, Figure figure, Number value) {
    if (value instanceof Double) {
      node.put(figure.member(), value.doubleValue());
    } else {
      node.put(figure.member(), value.longValue());
    }
  }
}
