package io.idembox.service;

import java.util.Locale;

/** How keys are spelt as names of environment variables. */
final class EnvironmentNames {
  static final String PREFIX = "IDEMBOX_";
  static final String FILE_SUFFIX = "_FILE";

  private EnvironmentNames() {}

  /**
   * Upper case; what is neither letter nor digit becomes an underscore, so {@code
   * subscriptions[0].topics} is {@code IDEMBOX_SUBSCRIPTIONS_0__TOPICS}. {@code []} is kept.
   */
  static String of(String key) {
    return PREFIX
        + key.toUpperCase(Locale.ROOT)
            .replace("[]", "\u0001")
            .replaceAll("[^A-Z0-9\u0001]", "_")
            .replace("\u0001", "_[]_");
  }
}
