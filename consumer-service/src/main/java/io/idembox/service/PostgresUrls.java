package io.idembox.service;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a JDBC address may hold. The driver passes over parameters that it does not know, takes the
 * last of two, and everything in an address ends up in logs.
 */
final class PostgresUrls {
  private static final Pattern PARTS = Pattern.compile("jdbc:postgresql:([^?]*)(?:\\?(.*))?");

  private PostgresUrls() {}

  /**
   * The rule that the address breaks, or null. Quotes no value.
   *
   * @param forInbox the inbox writes and has its own transactions; a database of plug-ins may not
   */
  static @Nullable String brokenRule(String text, boolean forInbox) {
    Matcher parts = PARTS.matcher(text);
    if (!parts.matches()) {
      return "must begin with jdbc:postgresql:";
    }
    String credentials = "must not hold user or password: they have options of their own beside it";
    if (parts.group(1).contains("@")) {
      return credentials;
    }
    Set<String> seen = new LinkedHashSet<>();
    for (String parameter : each(parts.group(2))) {
      String[] pair = parameter.split("=", 2);
      String name = pair[0];
      if (name.equalsIgnoreCase("user")
          || name.toLowerCase(java.util.Locale.ROOT).contains("pass")) {
        return credentials;
      }
      if (!seen.add(name)) {
        return "has the parameter " + name + " twice; remove one";
      }
      String broken = forInbox ? parameter(name, pair.length > 1 ? pair[1] : "") : unknown(name);
      if (broken != null) {
        return broken;
      }
    }
    return null;
  }

  /** The names of the parameters. */
  static Set<String> parameterNames(String url) {
    return parameters(url).keySet();
  }

  /** The parameters, decoded as the driver does it. */
  static Map<String, String> parameters(String url) {
    Matcher parts = PARTS.matcher(url);
    Map<String, String> found = new LinkedHashMap<>();
    if (parts.matches()) {
      for (String parameter : each(parts.group(2))) {
        String[] pair = parameter.split("=", 2);
        found.put(pair[0], pair.length > 1 ? decoded(pair[1]) : "");
      }
    }
    return found;
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return value;
    }
  }

  private static String[] each(@Nullable String query) {
    return query == null || query.isEmpty() ? new String[0] : query.split("&", -1);
  }

  private static @Nullable String unknown(String name) {
    return PostgresProperties.DRIVER.names().contains(name)
        ? null
        : "has a parameter that the driver does not know"
            + Spelling.hint(name, PostgresProperties.DRIVER.names());
  }

  private static @Nullable String parameter(String name, String value) {
    String reason = PostgresProperties.DRIVER.refused().get(name);
    if (reason != null) {
      return "has the parameter " + name + ", which is refused: " + reason;
    }
    String unknown = unknown(name);
    if (unknown != null) {
      return unknown;
    }
    String rule = PostgresProperties.DRIVER.checker().apply(name, value);
    return rule == null ? null : "has the parameter " + name + ", which " + rule;
  }
}
