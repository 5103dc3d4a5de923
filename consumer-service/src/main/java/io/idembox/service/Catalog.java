package io.idembox.service;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds out what a written key means. */
final class Catalog {
  private static final Pattern PLACE = Pattern.compile("\\[(\\d{1,4})]");

  private static final Map<String, Option<?>> OPTIONS = new HashMap<>();
  private static final Set<String> LISTS = new TreeSet<>();

  static {
    for (Option<?> option : Options.ALL) {
      OPTIONS.put(option.key(), option);
      lists(option.key());
    }
    Options.GROUPS.forEach(group -> lists(group.key()));
  }

  private Catalog() {}

  /**
   * A key of a group.
   *
   * @param name what stands after the group's key
   */
  record GroupKey(OptionGroup group, String name) {}

  private static void lists(String key) {
    for (int at = key.indexOf("[]"); at >= 0; at = key.indexOf("[]", at + 1)) {
      LISTS.add(key.substring(0, at));
    }
  }

  /** Keys of lists, with {@code []} for the lists that they stand in. */
  static Set<String> lists() {
    return LISTS;
  }

  /** The key with {@code []} for each place. */
  static String pattern(String filledKey) {
    return PLACE.matcher(filledKey).replaceAll("[]");
  }

  static Optional<Option<?>> option(String filledKey) {
    return Optional.ofNullable(OPTIONS.get(pattern(filledKey)));
  }

  static Optional<GroupKey> group(String filledKey) {
    String pattern = pattern(filledKey);
    for (OptionGroup group : Options.GROUPS) {
      if (pattern.startsWith(group.key() + ".")) {
        int dots = (int) group.key().chars().filter(c -> c == '.').count();
        return Optional.of(new GroupKey(group, afterDots(filledKey, dots + 1)));
      }
    }
    return Optional.empty();
  }

  private static String afterDots(String key, int dots) {
    int at = -1;
    for (int i = 0; i < dots; i++) {
      at = key.indexOf('.', at + 1);
    }
    return key.substring(at + 1);
  }

  /**
   * The key that an environment variable stands for, or null for none.
   *
   * @param written keys that are set already: names that differ only in separators mean these
   */
  static @Nullable String fromEnvironment(String variable, Collection<String> written) {
    for (Option<?> option : Options.ALL) {
      String key = filled(option.key(), variable, "");
      if (key != null) {
        return key;
      }
    }
    for (OptionGroup group : Options.GROUPS) {
      String pattern = regex(EnvironmentNames.of(group.key())) + "_(?<rest>[A-Z0-9_]+)";
      Matcher matcher = Pattern.compile(pattern).matcher(variable);
      if (matcher.matches()) {
        String rest = matcher.group("rest");
        String prefix =
            filled(group.key(), variable.substring(0, matcher.start("rest") - 1), "") + ".";
        return prefix + name(group, prefix, rest, written);
      }
    }
    return null;
  }

  /**
   * Environment variables have no small letters, dots and dashes: a known name says which it was.
   */
  private static String name(
      OptionGroup group, String prefix, String rest, Collection<String> written) {
    List<String> known = new ArrayList<>(group.names());
    written.stream()
        .filter(key -> key.startsWith(prefix))
        .forEach(key -> known.add(key.substring(prefix.length())));
    known.addAll(group.refused().keySet());
    return known.stream()
        .filter(name -> Spelling.plain(name).equals(Spelling.plain(rest)))
        .findFirst()
        .orElseGet(() -> rest.toLowerCase(java.util.Locale.ROOT).replace('_', '.'));
  }

  private static @Nullable String filled(String key, String variable, String more) {
    Matcher matcher = Pattern.compile(regex(EnvironmentNames.of(key)) + more).matcher(variable);
    if (!matcher.matches()) {
      return null;
    }
    int[] places = new int[matcher.groupCount()];
    for (int i = 0; i < places.length; i++) {
      places[i] = Integer.parseInt(matcher.group(i + 1));
    }
    return Option.at(key, places);
  }

  private static String regex(String environmentName) {
    return environmentName.replace("[]", "(\\d{1,4})");
  }

  /** What is wrong with a key that is neither an option nor in a group. */
  static String unknown(String filledKey) {
    String pattern = pattern(filledKey);
    Set<String> keys = new TreeSet<>(OPTIONS.keySet());
    Options.GROUPS.forEach(group -> keys.add(group.key()));
    boolean section = keys.stream().anyMatch(key -> key.startsWith(pattern + "."));
    boolean list = LISTS.contains(pattern);
    if (list) {
      return "must be a list of sections: begin each element with '- '";
    }
    if (section || (keys.contains(pattern) && option(filledKey).isEmpty())) {
      return "is a section: its keys stand below it";
    }
    if (LISTS.stream().anyMatch(name -> pattern.startsWith(name + "."))) {
      return "stands in a list: begin the element with '- '";
    }
    return "unknown key"
        + Spelling.nearest(pattern, keys)
            .map(key -> "; did you mean '" + key + "'?")
            .orElseGet(
                () ->
                    "; sections are "
                        + String.join(
                            ", ", Options.SECTIONS.stream().map(Options.Section::name).toList()));
  }
}
