package io.idembox.runtime;

/** Where a consumer process ends itself, as abruptly as SIGKILL would. */
enum CrashPoint {
  NOWHERE,
  /** Rows are committed; no effect was asked for at the guard. */
  AFTER_THE_COMMIT,
  /** The effect has happened; neither guard nor journal know. */
  AFTER_THE_EFFECT,
  /** The guard knows that the effect is done; the journal does not. */
  AFTER_THE_GUARD,
  /** Everything is recorded but the offset. */
  BEFORE_THE_OFFSET;

  /** Ends the process without shutdown hooks, flushes or goodbyes. */
  static void crash() {
    Runtime.getRuntime().halt(137);
  }
}
