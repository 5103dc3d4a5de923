package io.idembox.service;

/**
 * One thing that is wrong with the configuration.
 *
 * @param place where it is written
 * @param key the key, or empty where there is none
 * @param rule what is broken, and what to do
 */
record Problem(String place, String key, String rule) {
  /** Whether it is about the key, or about a part of what should be its value. */
  boolean isAbout(String other) {
    return key.equals(other) || key.startsWith(other + ".") || key.startsWith(other + "[");
  }

  @Override
  public String toString() {
    return (place.isEmpty() ? "" : place + ": ") + (key.isEmpty() ? "" : key + ": ") + rule;
  }
}
