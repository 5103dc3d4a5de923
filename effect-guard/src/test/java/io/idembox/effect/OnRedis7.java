package io.idembox.effect;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.testkit.EmbeddedRedis;

/**
 * Skips what an older redis-server cannot show, with the reason; in CI that is a failure, for there
 * one is installed.
 */
final class OnRedis7 {
  private OnRedis7() {}

  static void orSkip(String reason) {
    boolean there = EmbeddedRedis.majorVersionOnPath().orElse(0) >= 7;
    if (!there && "true".equals(System.getenv("CI"))) {
      throw new AssertionError(
          "CI needs a redis-server of version 7 or later on the PATH: " + reason);
    }
    assumeTrue(there, "no redis-server of version 7 or later on the PATH: " + reason);
  }
}
