package io.idembox.service;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The configuration in force: checked as a whole, and never changed afterwards. */
final class Settings {
  private final Map<String, Object> values;
  private final Map<String, RawValue> raw;
  private final Map<String, Integer> counts;
  private final Set<String> unsettled;

  /**
   * Takes what was checked.
   *
   * @param values of options, by filled key, defaults included
   * @param raw what was written, by filled key, groups included
   * @param counts of elements, by filled key of the list
   * @param unsettled keys that are wrong by themselves; empty in what is handed out
   */
  Settings(
      Map<String, Object> values,
      Map<String, RawValue> raw,
      Map<String, Integer> counts,
      Set<String> unsettled) {
    this.values = Map.copyOf(values);
    this.raw = new LinkedHashMap<>(raw);
    this.counts = Map.copyOf(counts);
    this.unsettled = Set.copyOf(unsettled);
  }

  /** Also where a section around the key, or a key below it, is what was refused. */
  private void settled(String key) {
    for (String wrong : unsettled) {
      if (wrong.equals(key) || isBelow(wrong, key) || isBelow(key, wrong)) {
        throw new UnsettledValueException(key);
      }
    }
  }

  private static boolean isBelow(String key, String above) {
    return key.startsWith(above + ".") || key.startsWith(above + "[");
  }

  /** The value of an option that is required or has a default. */
  <T> T get(Option<T> option, int... places) {
    return find(option, places)
        .orElseThrow(() -> new IllegalStateException(option.key(places) + " has no value"));
  }

  /** The value of an option, where there is one. */
  <T> Optional<T> find(Option<T> option, int... places) {
    // The loader puts only what the option's own type has parsed.
    @SuppressWarnings("unchecked")
    T value = (T) values.get(option.key(places));
    settled(option.key(places));
    return Optional.ofNullable(value);
  }

  /** What is handed on, by its own names. */
  Map<String, String> group(OptionGroup group, int... places) {
    settled(Option.at(group.key(), places));
    String prefix = Option.at(group.key(), places) + ".";
    Map<String, String> found = new LinkedHashMap<>();
    raw.forEach(
        (key, value) -> {
          if (key.startsWith(prefix)) {
            found.put(key.substring(prefix.length()), value.text());
          }
        });
    return found;
  }

  /** How many elements a list has. */
  int count(String list, int... places) {
    return counts.getOrDefault(Option.at(list, places), 0);
  }

  Origin origin(String filledKey) {
    RawValue value = raw.get(filledKey);
    return value == null ? Origin.DEFAULT : value.origin();
  }

  Map<String, RawValue> written() {
    return raw;
  }

  Map<String, Integer> counts() {
    return counts;
  }

  /** The consumer's name; values may be secrets. */
  @Override
  public String toString() {
    return "configuration of consumer " + values.get(Options.NAME.key());
  }
}
