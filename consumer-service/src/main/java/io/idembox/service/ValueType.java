package io.idembox.service;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the text of an option becomes a value. Refuses, never corrects.
 *
 * @param unit for the configuration page; empty where there is none
 * @param range what is allowed, for the page and for refusals
 * @param many it may be written as a YAML list
 * @param parser throws {@link IllegalArgumentException} with the rule that the text breaks
 */
record ValueType<T>(String unit, String range, boolean many, Function<String, T> parser) {
  private static final Pattern DURATION = Pattern.compile("(-?\\d{1,12})(ms|s|m|h|d)");
  private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");
  private static final int LONGEST_NAME = 249;
  private static final Pattern CLASS_NAME =
      Pattern.compile("[\\p{L}_$][\\p{L}\\d_$]*(\\.[\\p{L}_$][\\p{L}\\d_$]*)*");

  T parse(String text) {
    return parser.apply(text);
  }

  static ValueType<String> text() {
    return text("text that is not blank");
  }

  static ValueType<String> text(String range) {
    return ruled(
        range,
        text -> {
          if (text.isBlank()) {
            return "must not be blank";
          }
          // A block of YAML ends with a line break, and nobody sees it: another name, another
          // consumer.
          return text.equals(text.strip()) ? controlled(text) : "must not begin or end with blanks";
        });
  }

  /** A secret that somebody else has chosen. */
  static ValueType<String> secret() {
    return ruled(
        "text that is not blank", text -> text.isBlank() ? "must not be blank" : controlled(text));
  }

  /** A name that travels to several servers. */
  static ValueType<String> name() {
    ValueType<String> plain = text();
    return ruled(
        "1 to 249 characters",
        text -> {
          plain.parse(text);
          return text.length() > LONGEST_NAME ? "must be 1 to 249 characters long" : null;
        });
  }

  static ValueType<String> topic() {
    return ruled("a topic name", ValueType::noTopic);
  }

  static ValueType<List<String>> topics() {
    ValueType<List<String>> texts = texts("topic names");
    return new ValueType<>(
        "",
        texts.range(),
        true,
        text -> {
          List<String> all = texts.parse(text);
          for (String topic : all) {
            String rule = noTopic(topic);
            if (rule != null) {
              throw new IllegalArgumentException(rule);
            }
          }
          return all;
        });
  }

  private static @Nullable String noTopic(String text) {
    return TOPIC.matcher(text).matches() && !text.matches("\\.{1,2}")
        ? null
        : "must be a topic name: 1 to 249 letters, digits, dots, dashes and underscores";
  }

  private static @Nullable String controlled(String text) {
    return text.chars().anyMatch(Character::isISOControl)
        ? "must not hold a line break or another control character"
        : null;
  }

  /** A secret must not be too easy to guess. */
  static ValueType<String> text(int least, int most) {
    String range = least + " to " + most + " characters";
    return new ValueType<>(
        "characters",
        range,
        false,
        text -> {
          if (text.length() < least || text.length() > most) {
            throw new IllegalArgumentException("must be " + range + " long");
          }
          return text;
        });
  }

  static ValueType<Integer> integer(String unit, int least, int most) {
    String range = least + " to " + most;
    return new ValueType<>(
        unit,
        range,
        false,
        text -> {
          int value;
          try {
            value = Integer.parseInt(text);
          } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a whole number, " + range, e);
          }
          if (value < least || value > most) {
            throw new IllegalArgumentException("must be " + range);
          }
          return value;
        });
  }

  static ValueType<Boolean> flag() {
    return new ValueType<>(
        "",
        "true or false",
        false,
        text ->
            switch (text) {
              case "true" -> true;
              case "false" -> false;
              default -> throw new IllegalArgumentException("must be true or false");
            });
  }

  static ValueType<Duration> duration(Duration least, Duration most) {
    String range = Durations.text(least) + " to " + Durations.text(most);
    return new ValueType<>(
        "ms, s, m, h or d",
        range,
        false,
        text -> {
          Matcher matcher = DURATION.matcher(text);
          if (!matcher.matches()) {
            throw new IllegalArgumentException(
                "must be a whole number with its unit (ms, s, m, h or d), such as 30s");
          }
          Duration value = Durations.of(Long.parseLong(matcher.group(1)), matcher.group(2));
          if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException("must be " + range);
          }
          return value;
        });
  }

  /** The constants of an enum, in lower case with dashes. */
  static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
    E[] constants = type.getEnumConstants();
    List<String> names = Arrays.stream(constants).map(ValueType::name).toList();
    String range = String.join(", ", names);
    return new ValueType<>(
        "",
        range,
        false,
        text -> {
          int index = names.indexOf(text);
          if (index < 0) {
            throw new IllegalArgumentException(
                "must be one of " + range + Spelling.hint(text, names));
          }
          return constants[index];
        });
  }

  static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Several texts: a YAML list, or one text with commas. */
  static ValueType<List<String>> texts(String range) {
    return new ValueType<>(
        "",
        range,
        true,
        text -> {
          List<String> all = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
          if (all.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException("must not have a blank element");
          }
          if (all.stream().distinct().count() != all.size()) {
            throw new IllegalArgumentException("must not name anything twice");
          }
          return all;
        });
  }

  static ValueType<String> className() {
    return new ValueType<>(
        "",
        "a class name with its package",
        false,
        text -> {
          if (!CLASS_NAME.matcher(text).matches()) {
            throw new IllegalArgumentException("must be a class name with its package");
          }
          return text;
        });
  }

  /** A JDBC URL without credentials, which would end up in logs. */
  static ValueType<String> postgresUrl(boolean forInbox) {
    return ruled(
        "jdbc:postgresql://host:port/database, without user and password",
        text -> PostgresUrls.brokenRule(text, forInbox));
  }

  /** A Redis URI without credentials, which would end up in logs. */
  static ValueType<String> redisUri() {
    return ruled(
        "redis://host:port/db, rediss:// for TLS, redis-sentinel://host:port/db#master, several"
            + " host:port with commas for a cluster; without user and password",
        RedisUris::brokenRule);
  }

  /** A text that keeps a rule; null says that it does. */
  private static ValueType<String> ruled(
      String range, Function<String, @Nullable String> brokenRule) {
    return new ValueType<>(
        "",
        range,
        false,
        text -> {
          String rule = brokenRule.apply(text);
          if (rule != null) {
            throw new IllegalArgumentException(rule);
          }
          return text;
        });
  }
}
