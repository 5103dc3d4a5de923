package io.idembox.service;

/**
 * A value as it was written. Prints its place only: it may be a secret.
 *
 * @param list it was written as a YAML list of texts, here joined by commas
 */
record RawValue(String text, boolean list, Origin origin) {
  @Override
  public String toString() {
    return "value from " + origin;
  }
}
