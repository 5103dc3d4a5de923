package io.idembox.runtime;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client library that is needed. A build may bring an older one than this module was made with,
 * and older ones hand out records of partitions that are being taken away (KAFKA-20332), or fail
 * commits that were good (KAFKA-19242).
 */
final class KafkaClientVersion {
  private static final int MAJOR = 4;
  private static final int MINOR = 3;
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

  private KafkaClientVersion() {}

  /**
   * Looks at the version that the library says it has; one that is no number is let pass.
   *
   * @throws IllegalStateException if it is too old
   */
  static void check(String version) {
    Matcher parts = VERSION.matcher(version);
    if (!parts.matches()) {
      return;
    }
    int major = Integer.parseInt(parts.group(1));
    if (major < MAJOR || (major == MAJOR && Integer.parseInt(parts.group(2)) < MINOR)) {
      throw new IllegalStateException(
          "kafka-clients "
              + version
              + " is on the class path, but "
              + MAJOR
              + "."
              + MINOR
              + " or newer is needed: older ones lose or repeat records in rebalances; update the"
              + " dependency");
    }
  }
}
