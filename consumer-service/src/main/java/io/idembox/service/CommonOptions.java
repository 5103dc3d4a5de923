package io.idembox.service;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every command takes. */
final class CommonOptions {
  private static final String DEFAULT_FILE = "idembox.yaml";

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description =
          "The configuration file. Default: that of the variable IDEMBOX_CONFIG, else idembox.yaml"
              + " in this folder, if there is one.")
  private @Nullable Path config;

  @Option(names = "--json", description = "Print the result as JSON.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli reads it
  private boolean help;

  boolean json() {
    return json;
  }

  /**
   * The configuration in force.
   *
   * @throws ConfigurationException with everything that is wrong
   */
  Settings settings(Console console) {
    return ConfigurationLoader.load(file(console), console.environment(), console.properties());
  }

  private @Nullable Path file(Console console) {
    if (config != null) {
      return config;
    }
    String named = console.environment().get("IDEMBOX_CONFIG");
    if (named != null && !named.isBlank()) {
      return Path.of(named);
    }
    Path here = Path.of(DEFAULT_FILE);
    return Files.exists(here) ? here : null;
  }

  /** Prints an answer: as JSON, or as people like it. */
  void print(Console console, Object answer, String forPeople) {
    console.out().println(json ? Json.pretty(answer) : forPeople.stripTrailing());
  }
}
