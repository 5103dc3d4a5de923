package io.idembox.effect;

/** What becomes of an effect whose earlier attempt ended with an unknown outcome. */
public enum OnUnknown {
  /**
   * Run it again with the same provider key: at least once; the provider drops the copy if it takes
   * such keys.
   */
  RETRY,
  /**
   * Ask the provider first, through {@link ResolvableEffect#resolve}; run it again only if it did
   * not happen.
   */
  RESOLVE,
  /** Neither: it waits for a person's decision. */
  HOLD
}
