package io.idembox.demo.lab;

import java.util.List;
import java.util.stream.Stream;

/**
 * What became of a scenario.
 *
 * @param note what one has to know to judge the figures
 * @param ours what the scenario is about
 * @param others what was run beside it, such as a plain handler; shown above it
 * @param seconds the whole scenario took
 */
record ScenarioResult(
    int id, String name, String note, Comparison ours, List<Comparison> others, double seconds) {

  ScenarioResult {
    others = List.copyOf(others);
  }

  boolean holds() {
    return faults().isEmpty();
  }

  /** What is off, in words; empty if it holds. */
  List<String> faults() {
    return comparisons().stream().flatMap(one -> one.faults().stream()).toList();
  }

  /** All, in the order in which people read them. */
  List<Comparison> comparisons() {
    return Stream.concat(others.stream(), Stream.of(ours)).toList();
  }
}
