package io.idembox.inbox;

/** Where an effect stands in the journal. */
public enum EffectState {
  /** To be performed, now or when it is due. */
  PENDING(0),
  /** Somebody holds its mark: it may be running, and may have happened. */
  STARTED(1),
  /** It happened. Final. */
  DONE(2),
  /** Nobody knows whether it happened; it will be tried or asked about again. */
  IN_DOUBT(3),
  /** Waits for a person. */
  HELD(4),
  /** It did not happen, and its attempts are used up; a new request opens it again. */
  FAILED(5),
  /** Refused for good. */
  REJECTED(6);

  private final short code;

  EffectState(int code) {
    this.code = (short) code;
  }

  short code() {
    return code;
  }

  static EffectState of(short code) {
    for (EffectState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    throw new IllegalStateException(
        "Effect state "
            + code
            + " is not known to this version of Idembox: was the schema made by a newer one?");
  }
}
