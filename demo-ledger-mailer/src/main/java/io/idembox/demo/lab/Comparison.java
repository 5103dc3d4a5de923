package io.idembox.demo.lab;

import java.util.ArrayList;
import java.util.List;

/**
 * One thing that was run, beside the article.
 *
 * @param what was run, in a few words
 * @param article the article's figures, as far as it gives any
 * @param wanted what ours have to be for the scenario to hold: counts exactly, times at most
 * @param ours what was counted
 */
record Comparison(String what, Figures article, Figures wanted, Figures ours) {

  /** What is off, in words; empty if it holds. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    for (Figure figure : wanted.present()) {
      Number limit = wanted.get(figure).orElseThrow();
      Number value = ours.get(figure).orElse(null);
      if (value == null) {
        faults.add(what + ": " + figure.label() + " was not counted");
      } else if (figure.isTime() && value.doubleValue() > limit.doubleValue()) {
        faults.add(what + ": " + figure.label() + " is " + value + ", above " + limit);
      } else if (!figure.isTime() && value.longValue() != limit.longValue()) {
        faults.add(what + ": " + figure.label() + " is " + value + ", not " + limit);
      }
    }
    return faults;
  }
}
