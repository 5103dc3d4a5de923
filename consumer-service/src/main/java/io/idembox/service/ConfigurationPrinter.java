package io.idembox.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The values in force, with where each comes from, and without secrets. */
final class ConfigurationPrinter {
  private ConfigurationPrinter() {}

  /**
   * One value.
   *
   * @param value as one would write it; hidden if it is a secret
   */
  record Line(String key, String value, String origin) {}

  static List<Line> lines(Settings settings) {
    List<Line> lines = new ArrayList<>();
    for (Options.Section section : Options.SECTIONS) {
      for (Option<?> option : Options.ALL) {
        if (option.section().equals(section.name())) {
          option(settings, option, option.key(), lines);
        }
      }
      new TreeMap<>(settings.written())
          .forEach(
              (key, value) ->
                  Catalog.group(key)
                      .filter(inGroup -> Catalog.option(key).isEmpty())
                      .filter(inGroup -> key.replaceFirst("[.\\[].*", "").equals(section.name()))
                      .ifPresent(
                          inGroup -> {
                            boolean hidden =
                                inGroup.group().hides(inGroup.name())
                                    || value.origin().fromFile()
                                    || Secrets.within(value.text());
                            lines.add(
                                new Line(
                                    key,
                                    hidden ? Secrets.HIDDEN : value.text(),
                                    value.origin().place()));
                          }));
    }
    return lines;
  }

  private static void option(Settings settings, Option<?> option, String key, List<Line> lines) {
    int list = key.indexOf("[]");
    if (list >= 0) {
      int count = settings.counts().getOrDefault(key.substring(0, list), 0);
      for (int i = 0; i < count; i++) {
        option(
            settings,
            option,
            key.substring(0, list) + "[" + i + "]" + key.substring(list + 2),
            lines);
      }
      return;
    }
    RawValue value = settings.written().get(key);
    if (value != null) {
      boolean hidden = option.secret() || value.origin().fromFile() || Secrets.within(value.text());
      lines.add(new Line(key, hidden ? Secrets.HIDDEN : value.text(), value.origin().place()));
    } else if (option.defaultText() != null) {
      lines.add(new Line(key, option.defaultText(), Origin.DEFAULT.place()));
    } else {
      DerivedValues.of(settings, option)
          .ifPresent(derived -> lines.add(new Line(key, derived, "derived: " + option.derived())));
    }
  }

  /** YAML that the loader would take again, apart from secrets. */
  static String yaml(Settings settings) {
    StringBuilder text = new StringBuilder();
    for (Line line : lines(settings)) {
      text.append(line.key()).append(": ").append(quoted(line.value()));
      text.append("  # ").append(line.origin()).append('\n');
    }
    return text.toString();
  }

  private static String quoted(String value) {
    return value.matches("[A-Za-z0-9_./:,$-]*[A-Za-z0-9_./,$-]")
        ? value
        : "'" + value.replace("'", "''") + "'";
  }

  /** For JSON: key to value and origin. */
  static List<Map<String, String>> json(Settings settings) {
    return lines(settings).stream()
        .map(line -> Map.of("key", line.key(), "value", line.value(), "from", line.origin()))
        .toList();
  }
}
