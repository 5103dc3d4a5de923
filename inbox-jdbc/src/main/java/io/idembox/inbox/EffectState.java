package io.idembox.inbox;

/** The states of a journal row, with the codes that are stored. */
enum EffectState {
  PENDING(0),
  STARTED(1),
  DONE(2),
  IN_DOUBT(3),
  HELD(4),
  FAILED(5),
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
