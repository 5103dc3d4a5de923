package io.idembox.service;

/** What the program's exit codes mean; kept from release to release. */
final class ExitCode {
  static final int DONE = 0;

  /** The answer is bad news: an error found by doctor, a retry that failed again. */
  static final int BAD_NEWS = 1;

  static final int WRONG_ARGUMENTS = 2;
  static final int CONFIGURATION = 3;

  /** A server cannot be reached or used, or refuses. */
  static final int SERVER = 4;

  /** The consumer ended though nobody asked for it. */
  static final int CONSUMER_FAILED = 5;

  /** What was named is not there, or not in a state that allows it. */
  static final int NOT_POSSIBLE = 6;

  /** A defect of the program. */
  static final int UNEXPECTED = 70;

  static final int INTERRUPTED = 130;

  private ExitCode() {}
}
