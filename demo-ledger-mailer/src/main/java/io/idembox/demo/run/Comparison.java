package io.idembox.demo.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares what was found with what each order should have exactly once. Not thread-safe. */
final class Comparison {
  private static final int MAX_FAULTS = 5;

  private final String what;
  private final Map<String, String> expected;
  private final Map<String, List<String>> found = new HashMap<>();
  private long total;

  /**
   * Expects for each order id exactly one thing that says this.
   *
   * @param what the thing's name in the singular
   */
  Comparison(String what, Map<String, String> expected) {
    this.what = what;
    this.expected = expected;
  }

  void found(String orderId, String content) {
    found.computeIfAbsent(orderId, id -> new ArrayList<>(1)).add(content);
    total++;
  }

  long total() {
    return total;
  }

  /** Things beyond the first of an order, and things of no order. */
  long duplicates() {
    long duplicates = 0;
    for (Map.Entry<String, List<String>> entry : found.entrySet()) {
      duplicates += entry.getValue().size() - (expected.containsKey(entry.getKey()) ? 1 : 0);
    }
    return duplicates;
  }

  /** Orders without the right thing. */
  long lost() {
    return expected.keySet().stream().filter(this::lacks).count();
  }

  private boolean lacks(String orderId) {
    return !contents(orderId).contains(expected.get(orderId));
  }

  private List<String> contents(String orderId) {
    return found.getOrDefault(orderId, List.of());
  }

  /** A few orders that are not right, in words. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    expected.keySet().stream()
        .filter(orderId -> contents(orderId).size() != 1 || lacks(orderId))
        .limit(MAX_FAULTS)
        .forEach(orderId -> faults.add(orderId + ": " + fault(orderId)));
    found.keySet().stream()
        .filter(orderId -> !expected.containsKey(orderId))
        .limit(MAX_FAULTS)
        .forEach(orderId -> faults.add(orderId + ": a " + what + " of no order"));
    return faults;
  }

  private String fault(String orderId) {
    List<String> contents = contents(orderId);
    return contents.size() == 1
        ? "the %s says \"%s\", not \"%s\"".formatted(what, contents.get(0), expected.get(orderId))
        : contents.size() + " " + what + "s instead of one";
  }
}
