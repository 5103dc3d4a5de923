package io.idembox.service;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Guesses what somebody meant to write. */
final class Spelling {
  private Spelling() {}

  /** {@code "; did you mean 'x'?"}, or nothing where no name is near. */
  static String hint(String written, Collection<String> names) {
    return nearest(written, names).map(name -> "; did you mean '" + name + "'?").orElse("");
  }

  static Optional<String> nearest(String written, Collection<String> names) {
    String best = null;
    // A third of the letters may be wrong; more is another word.
    int least = Math.max(1, written.length() / 3) + 1;
    for (String name : names) {
      int distance = distance(plain(written), plain(name));
      if (distance < least) {
        least = distance;
        best = name;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Letter case and separators are the likeliest slips. */
  static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9\\[\\]]", "");
  }

  /** Insertions, deletions, replacements and swaps of neighbours. */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      d[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      d[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
