package io.idembox.inbox;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one value that a list of header values stands for, or what is wrong with them.
 *
 * @param bytes null exactly when there is a problem
 * @param problem empty when there is none
 */
@SuppressWarnings("ArrayRecordComponent") // Lives for one call, compared by nobody.
record IdValue(byte @Nullable [] bytes, String problem) {
  private static final int SHOWN = 64;

  /** Equal values are one value: a producer's interceptor that runs twice does no harm. */
  static IdValue of(String what, List<byte @Nullable []> values) {
    byte[] first = values.get(0);
    for (byte[] other : values) {
      if (!Arrays.equals(first, other)) {
        return bad(what + " has two different values, " + shown(first) + " and " + shown(other));
      }
    }
    if (first == null) {
      return bad(what + " is null");
    }
    if (first.length == 0) {
      return bad(what + " is empty");
    }
    return isBlank(first) ? bad(what + " is blank") : new IdValue(first, "");
  }

  /** Cut and stripped of control characters: it ends in logs and in the database. */
  static String shown(String text) {
    StringBuilder shown = new StringBuilder();
    text.codePoints()
        .limit(SHOWN)
        .forEach(
            c ->
                shown.appendCodePoint(
                    Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE
                        ? '?'
                        : c));
    return text.codePointCount(0, text.length()) > SHOWN ? shown + "..." : shown.toString();
  }

  private static String shown(byte @Nullable [] value) {
    return value == null ? "null" : "'" + shown(new String(value, StandardCharsets.UTF_8)) + "'";
  }

  private static IdValue bad(String problem) {
    return new IdValue(null, problem);
  }

  private static boolean isBlank(byte[] value) {
    for (byte b : value) {
      if (b != ' ' && (b < '\t' || b > '\r')) {
        return false;
      }
    }
    return true;
  }
}
