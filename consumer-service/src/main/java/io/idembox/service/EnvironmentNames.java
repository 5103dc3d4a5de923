package io.idembox.service;

import java.util.Locale;
import java.util.regex.Pattern;

/** How keys are spelt as names of environment variables. */
final class EnvironmentNames {
  static final String PREFIX = "IDEMBOX_";
  static final String FILE_SUFFIX = "_FILE";

  /**
   * What Kubernetes sets in each container for a service that is called {@code idembox}, or whose
   * name begins with it.
   */
  private static final Pattern SERVICE_LINK =
      Pattern.compile(
          "IDEMBOX_(.+_)?(SERVICE_(HOST|PORT(_.+)?)|PORT(_\\d+_(TCP|UDP|SCTP)(_.+)?)?)");

  private EnvironmentNames() {}

  /** Whether the variable is none of ours, though it looks like it. */
  static boolean isServiceLink(String variable, String value) {
    return SERVICE_LINK.matcher(variable).matches()
        && (variable.contains("_SERVICE_")
            || value.matches("(tcp|udp|sctp)://.*")
            || variable.matches(".*_PORT_\\d+_.*"));
  }

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
