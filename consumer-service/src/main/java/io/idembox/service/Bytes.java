package io.idembox.service;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in an answer: as text where they are UTF-8, else in Base64.
 *
 * @param text null where the bytes are no text
 * @param base64 null where they are
 */
record Bytes(@Nullable String text, @Nullable String base64) {
  static @Nullable Bytes of(byte @Nullable [] bytes) {
    if (bytes == null) {
      return null;
    }
    try {
      return new Bytes(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString(), null);
    } catch (CharacterCodingException e) {
      return new Bytes(null, Base64.getEncoder().encodeToString(bytes));
    }
  }

  @Override
  public String toString() {
    return text != null ? text : "base64:" + base64;
  }
}
