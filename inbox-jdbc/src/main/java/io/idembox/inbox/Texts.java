package io.idembox.inbox;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Makes any text one that PostgreSQL takes. */
final class Texts {
  private static final int CAP_BYTES = 8 * 1024;

  private Texts() {}

  /**
   * Without U+0000 and unpaired surrogates, which no text column takes, and at most 8 KiB in UTF-8.
   */
  static @Nullable String storable(@Nullable String text) {
    if (text == null) {
      return null;
    }
    StringBuilder kept = new StringBuilder(Math.min(text.length(), CAP_BYTES));
    int bytes = 0;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (c == 0 || Character.getType(c) == Character.SURROGATE) {
        continue;
      }
      bytes +=
          c < 0x80 ? 1 : new String(Character.toChars(c)).getBytes(StandardCharsets.UTF_8).length;
      if (bytes > CAP_BYTES) {
        break;
      }
      kept.appendCodePoint(c);
    }
    return kept.toString();
  }
}
