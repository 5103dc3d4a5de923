package io.idembox.service;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a command is given by whoever started it.
 *
 * @param out results, and nothing else
 * @param err everything for people: errors, progress
 * @param environment variables
 * @param properties of the JVM
 */
record Console(
    PrintStream out,
    PrintStream err,
    Map<String, String> environment,
    Map<String, String> properties) {

  /** Who has started it, for the record. */
  String user() {
    return properties.getOrDefault("user.name", "unknown");
  }

  /** The same with another property of the JVM, unless there is a value. */
  Console withDefault(String property, String value) {
    Map<String, String> more = new TreeMap<>(properties);
    more.putIfAbsent(property, value);
    return new Console(out, err, environment, more);
  }

  /** That of the process. */
  static Console ofProcess() {
    Map<String, String> properties = new TreeMap<>();
    System.getProperties()
        .stringPropertyNames()
        .forEach(name -> properties.put(name, System.getProperty(name)));
    // Not the JVM's guess at the terminal's charset: JSON is UTF-8, whoever reads it.
    return new Console(
        new PrintStream(System.out, true, StandardCharsets.UTF_8),
        new PrintStream(System.err, true, StandardCharsets.UTF_8),
        System.getenv(),
        properties);
  }
}
