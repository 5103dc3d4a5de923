package io.idembox.inbox;

import java.util.Locale;

/**
 * The first words of each statement in a text, lower case; comments, literals, quoted names and
 * dollar quotes are stepped over, so that a semicolon or a word inside them means nothing.
 */
final class SqlWords {
  private static final int WANTED = 4;

  private final String sql;
  private final String[] words = new String[WANTED];
  private int at;

  SqlWords(String sql) {
    this.sql = sql;
  }

  /** Moves on to the next statement; false at the end of the text. */
  boolean nextStatement() {
    int count = 0;
    boolean any = false;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == ';') {
        at++;
        if (any) {
          break;
        }
      } else if (Character.isWhitespace(c)) {
        at++;
      } else if (sql.startsWith("--", at)) {
        int end = sql.indexOf('\n', at);
        at = end < 0 ? sql.length() : end + 1;
      } else if (sql.startsWith("/*", at)) {
        skipComment();
      } else {
        any = true;
        String word = next(c);
        if (count < WANTED) {
          words[count++] = word;
        }
      }
    }
    for (int i = count; i < WANTED; i++) {
      words[i] = "";
    }
    return any;
  }

  String word(int index) {
    return words[index];
  }

  private String next(char c) {
    int from = at;
    if (Character.isLetter(c) || c == '_') {
      at++;
      while (at < sql.length() && isWordPart(sql.charAt(at))) {
        at++;
      }
      boolean escapes = at - from == 1 && (c == 'E' || c == 'e');
      if (escapes && at < sql.length() && sql.charAt(at) == '\'') {
        skipQuoted('\'', true);
        return "'";
      }
      return sql.substring(from, at).toLowerCase(Locale.ROOT);
    }
    if (c == '\'') {
      skipQuoted(c, false);
      return "'";
    }
    if (c == '"') {
      skipQuoted(c, false);
      return sql.substring(from + 1, Math.max(from + 1, at - 1));
    }
    if (c == '$' && skipDollarQuoted()) {
      return "'";
    }
    at++;
    return String.valueOf(c);
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$';
  }

  private void skipQuoted(char quote, boolean backslash) {
    at++;
    while (at < sql.length()) {
      char c = sql.charAt(at++);
      if (backslash && c == '\\') {
        at++;
      } else if (c == quote) {
        if (at < sql.length() && sql.charAt(at) == quote) {
          at++;
        } else {
          return;
        }
      }
    }
  }

  private boolean skipDollarQuoted() {
    int tagEnd = at + 1;
    while (tagEnd < sql.length() && isTagPart(sql.charAt(tagEnd))) {
      tagEnd++;
    }
    if (tagEnd >= sql.length() || sql.charAt(tagEnd) != '$') {
      return false;
    }
    String tag = sql.substring(at, tagEnd + 1);
    int end = sql.indexOf(tag, tagEnd + 1);
    at = end < 0 ? sql.length() : end + tag.length();
    return true;
  }

  private static boolean isTagPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private void skipComment() {
    int depth = 0;
    while (at < sql.length()) {
      if (sql.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        at += 2;
        if (--depth == 0) {
          return;
        }
      } else {
        at++;
      }
    }
  }
}
