package io.idembox.service;

/**
 * Where a value was written.
 *
 * @param place a file and line, an environment variable, a system property, or "default"
 * @param fromFile the value was read from a file of secrets, so it is never shown
 */
record Origin(String place, boolean fromFile) {
  static final Origin DEFAULT = new Origin("default", false);

  static Origin of(String place) {
    return new Origin(place, false);
  }

  @Override
  public String toString() {
    return place;
  }
}
