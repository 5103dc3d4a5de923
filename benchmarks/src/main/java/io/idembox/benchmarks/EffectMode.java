package io.idembox.benchmarks;

/** What each record does outside of the database. */
enum EffectMode {
  NONE,
  /** Nothing, after the commit, guarded. */
  AFTER_COMMIT,
  /** Nothing, inside of the transaction, guarded. */
  ONCE,
  /** Fifty milliseconds of nothing, after the commit, guarded. */
  SLOW
}
