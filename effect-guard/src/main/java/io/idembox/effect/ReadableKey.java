package io.idembox.effect;

import java.util.stream.Collectors;

/**
 * The form of a key that stands in logs: one line whatever the parts hold, and of bounded length.
 */
final class ReadableKey {
  private static final int MAX_PART = 80;
  private static final int MAX_PARTS = 8;

  private ReadableKey() {}

  static String format(EffectKey key) {
    String version = key.version() == 1 ? "" : "#" + key.version();
    String tenant = key.tenant().map(t -> "@" + part(t)).orElse("");
    String more = key.parts().size() > MAX_PARTS ? ", +" + (key.parts().size() - MAX_PARTS) : "";
    return key.parts().stream()
        .limit(MAX_PARTS)
        .map(ReadableKey::part)
        .collect(
            Collectors.joining(", ", part(key.operation()) + version + tenant + "[", more + "]"));
  }

  private static String part(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints().limit(MAX_PART).forEach(c -> append(out, c));
    if (text.codePointCount(0, text.length()) > MAX_PART) {
      out.append("...(").append(text.length()).append(" chars)");
    }
    return out.toString();
  }

  private static void append(StringBuilder out, int codePoint) {
    int type = Character.getType(codePoint);
    // Format characters can reorder or hide what a person reads in a log, control characters can
    // forge lines.
    if (type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR) {
      out.append("\\u{").append(Integer.toHexString(codePoint)).append('}');
    } else {
      out.appendCodePoint(codePoint);
    }
  }
}
