package io.idembox.service;

import java.util.Locale;
import java.util.regex.Pattern;

/** What is shown in the place of a secret, and what suggests one. */
final class Secrets {
  static final String HIDDEN = "********";

  private static final Pattern NAMES =
      Pattern.compile(
          "(pass|pwd|secret|token|credential|jaas|private|authorization|user\\.?-?info|api-?key"
              + "|apikey|keystore\\.key)");

  /** The user part of an address, or a parameter: people put them wherever an address is asked. */
  private static final Pattern WITHIN =
      Pattern.compile("//[^/?#\\s]*@|(?i)(pass\\w*|pwd|secret|token|api-?key)\\s*=");

  private Secrets() {}

  static boolean soundsLike(String name) {
    return NAMES.matcher(name.toLowerCase(Locale.ROOT)).find();
  }

  /** Whether there is a secret within the value, whatever its key is called. */
  static boolean within(String value) {
    return WITHIN.matcher(value).find();
  }
}
