package io.idembox.inbox;

import org.jspecify.annotations.Nullable;

/** Makes any text one that PostgreSQL takes. */
final class Texts {
  static final int CAP_BYTES = 8 * 1024;

  private Texts() {}

  /**
   * Without U+0000 and unpaired surrogates, which no text column takes, and at most 8 KiB in UTF-8.
   */
  static @Nullable String storable(@Nullable String text) {
    return text == null ? null : storable(text, CAP_BYTES);
  }

  static String storable(String text, int capBytes) {
    StringBuilder kept = new StringBuilder(Math.min(text.length(), capBytes));
    int bytes = 0;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (c == 0 || Character.getType(c) == Character.SURROGATE) {
        continue;
      }
      bytes += utf8Length(c);
      if (bytes > capBytes) {
        break;
      }
      kept.appendCodePoint(c);
    }
    return kept.toString();
  }

  private static int utf8Length(int c) {
    if (c < 0x80) {
      return 1;
    }
    if (c < 0x800) {
      return 2;
    }
    return c < 0x10000 ? 3 : 4;
  }
}
