package io.idembox.inbox;

import java.util.Arrays;

/** Half of a SHA-256: enough to tell requests apart, and half the room in each row. */
final class Fingerprints {
  private static final int LENGTH = 16;

  private Fingerprints() {}

  static byte[] of(byte[] comparable) {
    return Arrays.copyOf(MessageIds.threadsSha256().digest(comparable), LENGTH);
  }
}
