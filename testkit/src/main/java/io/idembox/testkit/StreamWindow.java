package io.idembox.testkit;

import java.util.Arrays;

/**
 * The newest bytes of one direction of a connection, so that a text is found though packets split
 * it. One thread.
 */
final class StreamWindow {
  private static final int KEPT = 1_024;

  private byte[] bytes = new byte[0];
  private int fresh; // where the newest chunk begins

  /** Adds a chunk. */
  void add(byte[] chunk) {
    int kept = Math.min(KEPT, bytes.length);
    byte[] joined = new byte[kept + chunk.length];
    System.arraycopy(bytes, bytes.length - kept, joined, 0, kept);
    System.arraycopy(chunk, 0, joined, kept, chunk.length);
    bytes = joined;
    fresh = kept;
  }

  /** Forgets all: what comes next does not follow on. */
  void clear() {
    bytes = new byte[0];
    fresh = 0;
  }

  /** Whether the newest chunk holds the text or its end: not if it was complete before. */
  boolean justCompleted(byte[] text) {
    for (int start = Math.max(0, fresh - text.length + 1);
        start + text.length <= bytes.length;
        start++) {
      if (Arrays.equals(bytes, start, start + text.length, text, 0, text.length)) {
        return true;
      }
    }
    return false;
  }
}
