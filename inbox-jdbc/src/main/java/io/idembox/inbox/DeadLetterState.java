package io.idembox.inbox;

/** Where a dead letter stands. */
public enum DeadLetterState {
  /** Waits for a retry, by command or by a copy that comes in. */
  OPEN(0),
  /** Waits until an effect that it asked for is settled by a person. */
  HELD(1),
  /** A retry succeeded. */
  RETRIED(2),
  /** Given up by a person. */
  DISCARDED(3);

  private final short code;

  DeadLetterState(int code) {
    this.code = (short) code;
  }

  short code() {
    return code;
  }

  static DeadLetterState of(short code) {
    for (DeadLetterState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    throw new IllegalStateException(
        "Dead letter state "
            + code
            + " is not known to this version of Idembox: was the schema made by a newer one?");
  }
}
