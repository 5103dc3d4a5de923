package io.idembox.service;

import java.util.List;
import java.util.stream.Collectors;

/** The configuration is refused, with everything that is wrong with it. Holds no secret. */
final class ConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  ConfigurationException(List<Problem> problems) {
    super(
        (problems.size() == 1
                ? "The configuration has a problem:"
                : "The configuration has " + problems.size() + " problems:")
            + problems.stream().map(p -> "\n  " + p).collect(Collectors.joining()));
    this.problems = List.copyOf(problems);
  }

  List<Problem> problems() {
    return problems;
  }
}
