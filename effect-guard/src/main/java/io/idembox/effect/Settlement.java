package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** How an effect ended, as it is stored. Immutable. */
public final class Settlement {
  static final int MAX_REASON_BYTES = 1024;
  private static final byte[] NOTHING = {};

  private final boolean done;
  private final boolean receiptKept;
  private final byte[] payload;
  private final int fingerprint;
  private final Duration retention;

  private Settlement(
      boolean done, boolean receiptKept, byte[] payload, int fingerprint, Duration retention) {
    this.done = done;
    this.receiptKept = receiptKept;
    this.payload = payload;
    this.fingerprint = fingerprint;
    this.retention = requireNonNull(retention, "retention");
  }

  public static Settlement done(byte[] receipt, int fingerprint, Duration retention) {
    return new Settlement(true, true, receipt.clone(), fingerprint, retention);
  }

  /** Done, with a receipt that is not kept. */
  public static Settlement doneWithoutReceipt(int fingerprint, Duration retention) {
    return new Settlement(true, false, NOTHING, fingerprint, retention);
  }

  /** Refused for good; at most 1 KiB of the reason is kept. */
  public static Settlement rejected(String reason, int fingerprint, Duration retention) {
    byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
    int end = Math.min(bytes.length, MAX_REASON_BYTES);
    // Not in the middle of a character: a byte 10xxxxxx continues the one before it.
    while (end < bytes.length && end > 0 && (bytes[end] & 0xc0) == 0x80) {
      end--;
    }
    return new Settlement(false, true, Arrays.copyOf(bytes, end), fingerprint, retention);
  }

  /** Whether it happened; else it was refused for good. */
  public boolean done() {
    return done;
  }

  public boolean receiptKept() {
    return receiptKept;
  }

  /** The encoded receipt, or the reason in UTF-8; not to be changed. */
  byte[] payload() {
    return payload;
  }

  public int fingerprint() {
    return fingerprint;
  }

  /** How long the record is kept, from now. */
  public Duration retention() {
    return retention;
  }
}
