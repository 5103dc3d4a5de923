package io.idembox.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How an answer looks by the README: {@code {name, maybe?, inner: {a, b}, list: [{a}], counts:
 * {*}}}.
 *
 * @param kind of a value, a list or an object
 * @param element of a list; null for others
 * @param members of an object by name; null for any
 * @param maybe members that may be missing
 */
record JsonShape(Kind kind, JsonShape element, Map<String, JsonShape> members, List<String> maybe) {
  enum Kind {
    VALUE,
    LIST,
    OBJECT
  }

  private static final JsonShape VALUE = new JsonShape(Kind.VALUE, null, null, List.of());

  /** That of the line of the README's block which begins with this command. */
  static JsonShape of(String command) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("README.md"))) {
      String text =
          lines
              .map(line -> line.replaceAll("\\s+", " ").strip())
              .filter(line -> line.startsWith(command + " {") || line.startsWith(command + " [{"))
              .findFirst()
              .orElseThrow(() -> new AssertionError("the README has no answer of " + command));
      return new Reader(text.substring(command.length())).shape();
    }
  }

  /** What differs, or nothing. */
  List<String> differences(JsonNode node) {
    List<String> found = new ArrayList<>();
    compare("", node, found);
    return found;
  }

  private void compare(String at, JsonNode node, List<String> found) {
    switch (kind) {
      case VALUE -> {
        if (node.isContainerNode() && !node.isArray()) {
          found.add(at + " is an object");
        }
      }
      case LIST -> {
        if (!node.isArray()) {
          found.add(at + " is no list");
        }
        node.forEach(one -> element.compare(at + "[]", one, found));
      }
      case OBJECT -> compareMembers(at, node, found);
    }
  }

  private void compareMembers(String at, JsonNode node, List<String> found) {
    if (!node.isObject()) {
      found.add(at + " is no object");
      return;
    }
    if (members == null) {
      return;
    }
    node.fieldNames()
        .forEachRemaining(
            name -> {
              JsonShape known = members.get(name);
              if (known == null) {
                found.add(at + "." + name + " is not in the README");
              } else {
                known.compare(at + "." + name, node.get(name), found);
              }
            });
    members.keySet().stream()
        .filter(name -> !maybe.contains(name) && !node.has(name))
        .forEach(name -> found.add(at + "." + name + " is missing"));
  }

  private static final class Reader {
    private final String text;
    private int at;

    private Reader(String text) {
      this.text = text.replace(" ", "");
    }

    private JsonShape shape() {
      if (text.charAt(at) == '[') {
        at++;
        JsonShape element = shape();
        expect(']');
        return new JsonShape(Kind.LIST, element, null, List.of());
      }
      expect('{');
      if (text.charAt(at) == '*') {
        at++;
        expect('}');
        return new JsonShape(Kind.OBJECT, null, null, List.of());
      }
      Map<String, JsonShape> members = new LinkedHashMap<>();
      List<String> maybe = new ArrayList<>();
      do {
        member(members, maybe);
      } while (text.charAt(at++) == ',');
      return new JsonShape(Kind.OBJECT, null, members, maybe);
    }

    private void member(Map<String, JsonShape> members, List<String> maybe) {
      int begin = at;
      while (Character.isLetterOrDigit(text.charAt(at))) {
        at++;
      }
      String name = text.substring(begin, at);
      if (text.charAt(at) == '?') {
        at++;
        maybe.add(name);
      }
      JsonShape inner = VALUE;
      if (text.charAt(at) == ':') {
        at++;
        inner = shape();
      }
      members.put(name, inner);
    }

    private void expect(char wanted) {
      if (text.charAt(at++) != wanted) {
        throw new AssertionError("expected " + wanted + " at " + at + " of " + text);
      }
    }
  }
}
