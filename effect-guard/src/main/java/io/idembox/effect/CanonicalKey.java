package io.idembox.effect;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a key: format, operation, version, tenant, number of parts, parts. Every text
 * carries its length in front, so no character can act as a separator and no two keys can come out
 * as the same bytes.
 */
final class CanonicalKey {
  private static final byte FORMAT = 1;

  private CanonicalKey() {}

  static byte[] write(String operation, int version, @Nullable String tenant, List<String> parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(64);
    out.write(FORMAT);
    text(out, operation);
    number(out, version);
    // A tenant is never empty, so length 0 is free to mean "none".
    if (tenant == null) {
      number(out, 0);
    } else {
      text(out, tenant);
    }
    number(out, parts.size());
    for (String part : parts) {
      text(out, part);
    }
    return out.toByteArray();
  }

  static EffectKey read(byte[] canonical) {
    try {
      ByteBuffer in = ByteBuffer.wrap(canonical);
      byte format = in.get();
      if (format != FORMAT) {
        throw new IllegalArgumentException(
            "EffectKey has canonical format " + format + "; known is " + FORMAT);
      }
      String operation = EffectKey.checked("operation", text(in));
      int version = number(in);
      String tenant = text(in);
      int count = number(in);
      if (version < 1 || count < 1 || count > in.remaining()) {
        throw new IllegalArgumentException(
            "EffectKey has a canonical form with a version or part count out of range");
      }
      List<String> parts = new ArrayList<>(count);
      for (int i = 1; i <= count; i++) {
        parts.add(EffectKey.checked("part " + i, text(in)));
      }
      if (in.hasRemaining()) {
        throw new IllegalArgumentException(
            "EffectKey has bytes after the end of its canonical form");
      }
      return new EffectKey(
          operation, version, tenant.isEmpty() ? null : EffectKey.checked("tenant", tenant), parts);
    } catch (BufferUnderflowException | CharacterCodingException e) {
      throw new IllegalArgumentException(
          "EffectKey has a canonical form that is cut short or not UTF-8", e);
    }
  }

  /** Seven bits a byte, lowest first; the high bit says that more follow. */
  static void number(ByteArrayOutputStream out, int value) {
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }

  private static void text(ByteArrayOutputStream out, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    number(out, bytes.length);
    out.write(bytes, 0, bytes.length);
  }

  private static int number(ByteBuffer in) {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      byte next = in.get();
      value |= (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "EffectKey has a number of more than five bytes in its canonical form");
  }

  private static String text(ByteBuffer in) throws CharacterCodingException {
    int length = number(in);
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer slice = in.slice(in.position(), length);
    in.position(in.position() + length);
    return StandardCharsets.UTF_8.newDecoder().decode(slice).toString();
  }
}
