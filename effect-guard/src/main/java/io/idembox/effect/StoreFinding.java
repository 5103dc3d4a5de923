package io.idembox.effect;

/**
 * One thing that a check found out about a store.
 *
 * @param code stable, for overrides and alerts, such as {@code "redis.eviction"}
 * @param what is the case
 * @param why it matters
 * @param remedy what to do
 */
public record StoreFinding(Severity severity, String code, String what, String why, String remedy) {
  /** How bad it is. */
  public enum Severity {
    /** Good to know. */
    INFO,
    /** A promise is weaker than it could be. */
    WARNING,
    /** A promise does not hold: a service should refuse to start. */
    ERROR
  }

  @Override
  public String toString() {
    return "%s %s: %s. %s. %s.".formatted(severity, code, what, why, remedy);
  }
}
