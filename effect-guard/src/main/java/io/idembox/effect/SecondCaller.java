package io.idembox.effect;

import java.time.Duration;

/**
 * What a caller does who finds that another holds the key.
 *
 * @param limit how long it waits for the other's outcome; zero if it does not wait
 */
public record SecondCaller(Duration limit) {
  /**
   * Checks the limit.
   *
   * @throws IllegalArgumentException if the limit is negative or above one hour
   */
  public SecondCaller {
    if (limit.isNegative() || limit.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "secondCaller waits for " + limit + ": allowed are 0 to 1 h");
    }
  }

  /**
   * Waits for the other's outcome, asking at jittered intervals; after the limit as {@link
   * #fail()}.
   */
  public static SecondCaller waitFor(Duration limit) {
    return new SecondCaller(limit);
  }

  /** Gets "in progress" at once. */
  public static SecondCaller fail() {
    return new SecondCaller(Duration.ZERO);
  }
}
