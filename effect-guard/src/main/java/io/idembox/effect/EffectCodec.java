package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * Turns receipts into bytes and back. The place for encryption and for other formats. Null is a
 * value like others.
 *
 * <p>Implementations are called by many threads at once.
 */
public interface EffectCodec {
  /**
   * Encodes a receipt.
   *
   * @throws Exception if the value cannot be encoded
   */
  byte[] encode(@Nullable Object value) throws Exception;

  /**
   * Decodes a receipt.
   *
   * @throws Exception if the bytes do not hold a {@code T}; the message names the stored type
   */
  <T> @Nullable T decode(byte[] bytes, Class<T> type) throws Exception;

  /**
   * Bytes that are equal for equal requests, from which the guard makes the request's fingerprint.
   * By default the encoded form; a codec whose output differs each time, as an encrypting one's
   * should, must answer something else.
   *
   * @throws Exception if the request has no such form: the effect does not run
   */
  default byte[] comparable(@Nullable Object request) throws Exception {
    return encode(request);
  }
}
