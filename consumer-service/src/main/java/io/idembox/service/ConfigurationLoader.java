package io.idembox.service;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the configuration from the file, the environment and the system properties, later ones over
 * earlier ones, and checks it as a whole.
 */
final class ConfigurationLoader {
  static final String PROPERTY_PREFIX = "idembox.";

  /** Variables of the start script and of the program itself. */
  private static final Set<String> NOT_OPTIONS =
      Set.of("IDEMBOX_CONFIG", "IDEMBOX_JAVA_OPTS", "IDEMBOX_JAR", "IDEMBOX_TERMINAL");

  private static final long LONGEST_FILE = 1 << 20;

  private final List<Problem> problems = new ArrayList<>();
  private final Map<String, RawValue> raw = new LinkedHashMap<>();

  private ConfigurationLoader() {}

  /**
   * The configuration in force.
   *
   * @param file null when there is none and everything comes from elsewhere
   * @throws ConfigurationException with everything that is wrong
   */
  static Settings load(
      @Nullable Path file, Map<String, String> environment, Map<String, String> properties) {
    return new ConfigurationLoader().read(file, environment, properties);
  }

  private Settings read(
      @Nullable Path file, Map<String, String> environment, Map<String, String> properties) {
    if (file != null) {
      readFile(file);
    }
    if (!problems.isEmpty() && raw.isEmpty()) {
      // Nothing could be read: that everything required is missing would only hide the reason.
      throw new ConfigurationException(problems);
    }
    readEnvironment(new TreeMap<>(environment));
    new TreeMap<>(properties)
        .forEach(
            (name, value) -> {
              if (name.startsWith(PROPERTY_PREFIX)) {
                put(
                    name.substring(PROPERTY_PREFIX.length()),
                    new RawValue(value, false, Origin.of("-D" + name)));
              }
            });
    raw.entrySet().removeIf(entry -> !known(entry.getKey(), entry.getValue()));
    Map<String, Integer> counts = counts();
    Map<String, Object> values = new HashMap<>();
    Options.ALL.forEach(option -> fill(option, option.key(), counts, values));
    Set<String> unsettled =
        problems.stream()
            .map(Problem::key)
            .filter(key -> !key.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    problems.addAll(
        new ConfigurationChecks(new Settings(values, raw, counts, unsettled)).problems());
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
    return new Settings(values, raw, counts, Set.of());
  }

  private void readFile(Path file) {
    String name = String.valueOf(file.getFileName());
    try {
      if (Files.isDirectory(file)) {
        problems.add(new Problem(file.toString(), "", "is a folder; name the file in it"));
        return;
      }
      if (Files.size(file) > LONGEST_FILE) {
        problems.add(new Problem(name, "", "is longer than 1 MiB: is it the right file?"));
        return;
      }
      YamlFile.read(name, Files.readString(file), problems).forEach(this::put);
    } catch (CharacterCodingException e) {
      problems.add(new Problem(name, "", "is not UTF-8 text"));
    } catch (NoSuchFileException e) {
      problems.add(new Problem(file.toString(), "", "there is no such file"));
    } catch (IOException e) {
      problems.add(
          new Problem(file.toString(), "", "cannot be read: " + e.getClass().getSimpleName()));
    }
  }

  private void put(String key, RawValue value) {
    raw.put(key, value);
  }

  private void readEnvironment(Map<String, String> environment) {
    Map<String, String> by = new HashMap<>();
    Map<String, RawValue> found = new LinkedHashMap<>();
    environment.forEach(
        (variable, text) -> {
          if (!variable.startsWith(EnvironmentNames.PREFIX)
              || NOT_OPTIONS.contains(variable)
              || EnvironmentNames.isServiceLink(variable, text)) {
            return;
          }
          String stem = stem(variable);
          String key = Catalog.fromEnvironment(stem, raw.keySet());
          Origin origin = Origin.of("environment variable " + variable);
          if (key == null) {
            problems.add(new Problem(origin.place(), "", unknownVariable(variable)));
            return;
          }
          String other = by.putIfAbsent(key, variable);
          if (other != null) {
            problems.add(
                new Problem(origin.place(), key, "is set by " + other + " too; unset one"));
            return;
          }
          RawValue value =
              stem.equals(variable)
                  ? new RawValue(text, false, origin)
                  : secretFile(text, variable, key);
          if (value != null) {
            found.put(key, value);
          }
        });
    found.forEach(this::put);
  }

  /** The variable without {@code _FILE}, unless a key ends like that. */
  private String stem(String variable) {
    if (!variable.endsWith(EnvironmentNames.FILE_SUFFIX)) {
      return variable;
    }
    String whole = Catalog.fromEnvironment(variable, raw.keySet());
    boolean known =
        whole != null
            && (raw.containsKey(whole)
                || Catalog.group(whole)
                    .filter(in -> in.group().names().contains(in.name()))
                    .isPresent());
    return known
        ? variable
        : variable.substring(0, variable.length() - EnvironmentNames.FILE_SUFFIX.length());
  }

  private @Nullable RawValue secretFile(String path, String variable, String key) {
    String place = "file of environment variable " + variable;
    try {
      Path file = Path.of(path);
      if (path.isBlank() || !Files.exists(file) || Files.isDirectory(file)) {
        problems.add(new Problem(place, key, "there is no file '" + path + "'"));
        return null;
      }
      if (Files.size(file) > LONGEST_FILE) {
        problems.add(new Problem(place, key, path + " is longer than 1 MiB"));
        return null;
      }
      // Editors and orchestrators end a file with a line feed that is no part of the secret.
      return new RawValue(
          Files.readString(file, StandardCharsets.UTF_8).replaceFirst("\\r?\\n\\z", ""),
          false,
          new Origin(place, true));
    } catch (CharacterCodingException e) {
      problems.add(new Problem(place, key, path + " is not UTF-8 text"));
      return null;
    } catch (IOException | RuntimeException e) {
      problems.add(
          new Problem(place, key, path + " cannot be read: " + e.getClass().getSimpleName()));
      return null;
    }
  }

  private static String unknownVariable(String variable) {
    List<String> names = Options.ALL.stream().map(Option::environmentVariable).toList();
    return "unknown: no key is set by it" + Spelling.hint(variable, names);
  }

  /** Whether the key exists and a group's rules allow the value. */
  private boolean known(String key, RawValue value) {
    if (Catalog.option(key).isPresent()) {
      return true;
    }
    Catalog.GroupKey inGroup = Catalog.group(key).orElse(null);
    if (inGroup == null) {
      problem(value, key, Catalog.unknown(key));
      return false;
    }
    OptionGroup group = inGroup.group();
    String name = inGroup.name();
    String reason = group.refused().get(name);
    if (reason != null) {
      problem(value, key, "is refused: " + reason);
      return false;
    }
    if (!group.names().isEmpty() && !group.names().contains(name)) {
      problem(value, key, "unknown property" + Spelling.hint(name, group.names()));
      return false;
    }
    String rule = group.checker().apply(name, value.text());
    if (rule != null) {
      problem(value, key, shown(group.hides(name), value) + rule);
      return false;
    }
    return true;
  }

  /** How many elements each list has. A gap is a slip: something was meant to be there. */
  private Map<String, Integer> counts() {
    Map<String, Integer> counts = new HashMap<>();
    for (String list : Catalog.lists()) {
      Pattern element =
          Pattern.compile(
              "(" + Pattern.quote(list).replace("[]", "\\E\\[\\d+]\\Q") + ")\\[(\\d+)]\\..*");
      Map<String, Set<Integer>> places = new TreeMap<>();
      for (String key : raw.keySet()) {
        Matcher matcher = element.matcher(key);
        if (matcher.matches()) {
          places
              .computeIfAbsent(matcher.group(1), k -> new TreeSet<>())
              .add(Integer.parseInt(matcher.group(2)));
        }
      }
      places.forEach(
          (key, set) -> {
            int count = set.stream().max(Comparator.naturalOrder()).orElse(-1) + 1;
            if (count != set.size()) {
              problems.add(
                  new Problem("", key, "has an element " + (count - 1) + " but not all before it"));
            }
            counts.put(key, count);
          });
    }
    return counts;
  }

  /** Fills an option in each element of its lists. */
  private void fill(
      Option<?> option, String key, Map<String, Integer> counts, Map<String, Object> values) {
    int list = key.indexOf("[]");
    if (list >= 0) {
      for (int i = 0; i < counts.getOrDefault(key.substring(0, list), 0); i++) {
        fill(
            option,
            key.substring(0, list) + "[" + i + "]" + key.substring(list + 2),
            counts,
            values);
      }
      return;
    }
    RawValue value = raw.get(key);
    if (value == null) {
      if (option.defaultText() != null) {
        values.put(key, option.type().parse(option.defaultText()));
      } else if (option.required() && problems.stream().noneMatch(one -> one.isAbout(key))) {
        problems.add(
            new Problem(
                elementPlace(key),
                key,
                "is required and missing; set it in the file or by " + EnvironmentNames.of(key)));
      }
      return;
    }
    if (value.list() && !option.type().many()) {
      problem(value, key, "must be one value, not a list");
      return;
    }
    try {
      values.put(key, option.type().parse(value.text()));
    } catch (IllegalArgumentException e) {
      problem(value, key, shown(option.secret(), value) + e.getMessage());
    }
  }

  /** A line of the element that the key is missing in, if it has one. */
  private String elementPlace(String key) {
    int end = key.lastIndexOf(']');
    return end < 0
        ? ""
        : raw.entrySet().stream()
            .filter(entry -> entry.getKey().startsWith(key.substring(0, end + 1)))
            .findFirst()
            .map(entry -> entry.getValue().origin().place())
            .orElse("");
  }

  private static String shown(boolean hidden, RawValue value) {
    return hidden || value.origin().fromFile() || Secrets.within(value.text())
        ? ""
        : "is '" + value.text() + "': it ";
  }

  private void problem(RawValue value, String key, String rule) {
    problems.add(new Problem(value.origin().place(), key, rule));
  }
}
