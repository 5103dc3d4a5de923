package io.idembox.effect;

/** What becomes of a call whose request differs from the one that its key was first used with. */
public enum OnMismatch {
  /** Requests are neither encoded nor compared. */
  IGNORE,
  /**
   * The receipt is replayed, marked, logged and counted. An attempt of unknown outcome is not run
   * again with the other request: that call gets the mismatch.
   */
  WARN,
  /** The call gets the mismatch instead of the receipt. */
  REJECT
}
