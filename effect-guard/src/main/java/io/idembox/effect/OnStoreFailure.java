package io.idembox.effect;

/** What becomes of an effect while its store cannot be asked. */
public enum OnStoreFailure {
  /** It does not run. */
  CLOSED,
  /** It runs without protection, and is counted and logged as unguarded. */
  OPEN
}
