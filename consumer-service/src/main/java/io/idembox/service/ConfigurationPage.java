package io.idembox.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All keys with their meaning, unit, default and range: for the terminal and for the docs. */
final class ConfigurationPage {
  private static final int WIDTH = 100;

  private ConfigurationPage() {}

  /** What {@code config --explain} prints; keys that contain {@code filter}. */
  static String explain(String filter) {
    StringBuilder text = new StringBuilder();
    for (Options.Section section : Options.SECTIONS) {
      List<String> entries = new ArrayList<>();
      for (Option<?> option : options(section)) {
        if (option.key().contains(filter)) {
          entries.add(entry(option));
        }
      }
      for (OptionGroup group : groups(section)) {
        if (group.key().contains(filter)) {
          entries.add(entry(group));
        }
      }
      if (!entries.isEmpty()) {
        text.append(section.name()).append(": ").append(section.meaning()).append("\n\n");
        entries.forEach(entry -> text.append(entry).append('\n'));
      }
    }
    return text.toString();
  }

  private static String entry(Option<?> option) {
    return "  "
        + option.key()
        + (option.required() ? " (required)" : "")
        + (option.secret() ? " (secret)" : "")
        + "\n"
        + wrapped(option.meaning())
        + line("default", defaultOf(option))
        + line("range", option.type().range())
        + line("unit", option.type().unit())
        + line("variable", option.environmentVariable());
  }

  private static String entry(OptionGroup group) {
    StringBuilder text = new StringBuilder("  " + group.key() + ".*\n" + wrapped(group.meaning()));
    text.append(line("variable", EnvironmentNames.of(group.key()).replace("[]", "N") + "_..."));
    new TreeMap<>(group.refused())
        .forEach((name, reason) -> text.append(line("refused", name + ": " + reason)));
    return text.toString();
  }

  private static String line(String name, String value) {
    return value.isEmpty() ? "" : "      %-9s %s%n".formatted(name, value).replace("\r", "");
  }

  private static String wrapped(String text) {
    StringBuilder lines = new StringBuilder();
    StringBuilder line = new StringBuilder("     ");
    for (String word : text.split(" ", -1)) {
      if (line.length() + word.length() >= WIDTH) {
        lines.append(line).append('\n');
        line = new StringBuilder("     ");
      }
      line.append(' ').append(word);
    }
    return lines.append(line).append('\n').toString();
  }

  private static String defaultOf(Option<?> option) {
    return option.defaultText() != null ? option.defaultText() : option.derived();
  }

  private static List<Option<?>> options(Options.Section section) {
    List<Option<?>> options = new ArrayList<>(Options.ALL);
    options.removeIf(option -> !option.section().equals(section.name()));
    return options;
  }

  private static List<OptionGroup> groups(Options.Section section) {
    return Options.GROUPS.stream()
        .filter(group -> (group.key() + ".").replaceFirst("[.\\[].*", "").equals(section.name()))
        .toList();
  }

  /** The page {@code docs/configuration.md}. */
  static String markdown() {
    StringBuilder text =
        new StringBuilder(
            """
            # Configuration

            <!-- Made from the catalog of keys by `idembox config --explain --markdown`; a test compares the two. -->

            One YAML file: the one given by `--config`, else by the environment variable `IDEMBOX_CONFIG`, else
            `idembox.yaml` in the working directory, if there is one. Each key can also be set by an environment variable,
            and by a system property `-Didembox.KEY=...` of the JVM (`IDEMBOX_JAVA_OPTS`). System properties win over
            variables, and variables over the file.

            - `VARIABLE_FILE` in place of `VARIABLE` names a file that holds the value, for secrets that are mounted.
            - `N` in a variable stands for the place in a list, counted from 0.
            - Durations have a unit: `250ms`, `30s`, `5m`, `72h`, `14d`.
            - Keys may be nested or written with dots; both are the same key, and writing it twice is refused.
            - A key that is unknown, misspelt, doubled, out of range or at odds with another one is refused before anything
              starts, with its line, the rule, and what was probably meant.
            - `idembox config` prints the values in force and where each comes from; secrets are hidden.

            """);
    for (Options.Section section : Options.SECTIONS) {
      text.append("## ").append(section.name()).append("\n\n");
      text.append(section.meaning()).append("\n\n");
      if (!options(section).isEmpty()) {
        text.append("| Key | Meaning | Default | Range | Variable |\n|---|---|---|---|---|\n");
        options(section).forEach(option -> text.append(row(option)));
        text.append('\n');
      }
      groups(section).forEach(group -> text.append(paragraph(group)));
    }
    return text.toString().stripTrailing() + "\n";
  }

  private static String row(Option<?> option) {
    String range = option.type().range();
    String unit = option.type().unit();
    String defaultText = option.defaultText();
    return "| `%s` | %s%s%s | %s | %s | `%s` |\n"
        .formatted(
            option.key(),
            cell(option.meaning()),
            option.required() ? " Required." : "",
            option.secret() ? " A secret: never shown." : "",
            defaultText != null
                ? "`" + defaultText + "`"
                : option.derived().isEmpty() ? "" : cell(option.derived()),
            cell(range.contains(unit) || unit.isEmpty() ? range : range + " (" + unit + ")"),
            option.environmentVariable());
  }

  private static String paragraph(OptionGroup group) {
    StringBuilder text = new StringBuilder();
    text.append("`").append(group.key()).append(".*`: ").append(group.meaning());
    text.append(" Variables: `")
        .append(EnvironmentNames.of(group.key()).replace("[]", "N"))
        .append("_...`.\n\n");
    if (!group.refused().isEmpty()) {
      text.append("| Refused | Why, or what to set |\n|---|---|\n");
      group.refused().entrySet().stream()
          .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
          .forEach(
              entry ->
                  text.append("| `%s` | %s |\n".formatted(entry.getKey(), cell(entry.getValue()))));
      text.append('\n');
    }
    return text.toString();
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
