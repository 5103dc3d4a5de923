package io.idembox.service;

import io.idembox.effect.StoreFinding;

/**
 * One thing that a check found out.
 *
 * @param code stable, for alerts
 * @param what is the case, and why it matters
 * @param remedy what to do; empty for what is in order
 */
record Finding(Severity severity, String code, String what, String remedy) {
  /** How bad it is. */
  enum Severity {
    OK,
    INFO,
    WARNING,
    /** A promise does not hold, or the service would not start. */
    ERROR
  }

  static Finding ok(String code, String what) {
    return new Finding(Severity.OK, code, what, "");
  }

  static Finding info(String code, String what, String remedy) {
    return new Finding(Severity.INFO, code, what, remedy);
  }

  static Finding warning(String code, String what, String remedy) {
    return new Finding(Severity.WARNING, code, what, remedy);
  }

  static Finding error(String code, String what, String remedy) {
    return new Finding(Severity.ERROR, code, what, remedy);
  }

  static Finding of(StoreFinding found) {
    return new Finding(
        switch (found.severity()) {
          case INFO -> Severity.INFO;
          case WARNING -> Severity.WARNING;
          case ERROR -> Severity.ERROR;
        },
        found.code(),
        found.what() + ". " + found.why(),
        found.remedy());
  }
}
