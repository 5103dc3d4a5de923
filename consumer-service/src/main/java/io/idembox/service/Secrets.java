package io.idembox.service;

import java.util.Locale;
import java.util.regex.Pattern;

/** What is shown in the place of a secret, and which names suggest one. */
final class Secrets {
  static final String HIDDEN = "********";

  private static final Pattern NAMES =
      Pattern.compile(
          "(passw|secret|token|credential|jaas|private|api-?key|apikey|keystore\\.key)");

  private Secrets() {}

  static boolean soundsLike(String name) {
    return NAMES.matcher(name.toLowerCase(Locale.ROOT)).find();
  }
}
