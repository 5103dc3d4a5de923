package io.idembox.effect;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The store's answer to a {@link StoreCommand}.
 *
 * @param at the store's clock
 * @param record the record as it now is; null if there is none, and with {@link Code#OK} to
 *     anything but a claim
 */
public record StoreReply(Code code, Instant at, @Nullable EffectRecord record) {
  /** What became of the command. */
  public enum Code {
    /** Done as asked, now or when the same command came before. */
    OK('K'),
    /** A settlement was stored where no record was: somebody removed it, or the store lost it. */
    OK_ABSENT('A'),
    /** Another holds the key, and its lease has not ended. */
    HELD('H'),
    /** In doubt, and left so. */
    IN_DOUBT('U'),
    /** Done or rejected. */
    SETTLED('S'),
    /** In doubt after a run with another request. */
    MISMATCH('M'),
    /** The record carries another's token: this holder has lost it. */
    LOST('L'),
    /** There is nothing to decide about. */
    ABSENT('0'),
    /** The record is damaged or of a newer format. */
    UNREADABLE('N');

    private final char letter;

    Code(char letter) {
      this.letter = letter;
    }

    static Code of(byte letter) {
      for (Code code : values()) {
        if (code.letter == letter) {
          return code;
        }
      }
      throw new IllegalArgumentException(
          "unknown reply '" + (char) letter + "' from a store script");
    }
  }
}
