package io.idembox.service;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration, with all that is said about it anywhere: the loader, {@code config
 * --explain} and the page in the documentation are made of this.
 *
 * @param key with {@code []} for each list that it stands in
 * @param defaultText as one would write it, or null
 * @param derived says in words where the value comes from when nothing is set and there is no
 *     default text; empty for "not set"
 * @param secret its value is never shown
 * @param required in each element of the list that it stands in
 */
record Option<T>(
    String key,
    ValueType<T> type,
    @Nullable String defaultText,
    String derived,
    boolean secret,
    boolean required,
    String meaning) {

  static <T> Option<T> required(String key, ValueType<T> type, String meaning) {
    return new Option<>(key, type, null, "", false, true, meaning);
  }

  static <T> Option<T> optional(String key, ValueType<T> type, String derived, String meaning) {
    return new Option<>(key, type, null, derived, false, false, meaning);
  }

  static <T> Option<T> defaulted(
      String key, ValueType<T> type, String defaultText, String meaning) {
    return new Option<>(key, type, defaultText, "", false, false, meaning);
  }

  static Option<String> secret(String key, ValueType<String> type, String meaning) {
    return new Option<>(key, type, null, "", true, false, meaning);
  }

  /** The name of the environment variable, with {@code N} for each place in a list. */
  String environmentVariable() {
    return EnvironmentNames.of(key).replace("[]", "N");
  }

  /** The key with places in lists filled in. */
  String key(int... places) {
    return at(key, places);
  }

  static String at(String key, int... places) {
    String filled = key;
    for (int place : places) {
      filled = filled.replaceFirst(Pattern.quote("[]"), "[" + place + "]");
    }
    return filled;
  }

  /** The section that the key stands in: its first part. */
  String section() {
    return key.replaceFirst("[.\\[].*", "").toLowerCase(Locale.ROOT);
  }
}
