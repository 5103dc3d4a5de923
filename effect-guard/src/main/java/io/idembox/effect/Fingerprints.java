package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Four bytes that tell one request from another; 0 stands for "none". */
final class Fingerprints {
  private Fingerprints() {}

  /**
   * @throws EffectNotPerformedException if the request has no comparable form
   */
  static int of(
      EffectCodec codec, @Nullable Object request, String effect, Supplier<String> shown) {
    byte[] comparable;
    try {
      comparable = requireNonNull(codec.comparable(request), "the codec answered null");
    } catch (Exception | StackOverflowError | LinkageError e) {
      throw new EffectNotPerformedException(
          "Effect %s (%s) was not run: its request cannot be encoded, so it cannot be compared with the first one; let the"
                  .formatted(shown.get(), effect)
              + " codec encode it, or set fingerprint IGNORE",
          e);
    }
    // Against mistakes, not attackers: a checksum, which the processor makes.
    CRC32C sum = new CRC32C();
    sum.update(comparable, 0, comparable.length);
    int value = (int) sum.getValue();
    return value == 0 ? 1 : value;
  }
}
