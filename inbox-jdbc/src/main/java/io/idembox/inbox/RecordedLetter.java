package io.idembox.inbox;

/** What became of a record that was to be given up. In each case its offset may move on. */
public sealed interface RecordedLetter {
  /** Which of the answers this is. */
  Kind kind();

  /** The closed set of answers. */
  enum Kind {
    /** It is a dead letter now. */
    RECORDED,
    /** Somebody has handled it in the meantime; there is no letter. */
    ALREADY_HANDLED,
    /** It has an open letter already, from another delivery or a copy. */
    ALREADY_OPEN
  }

  /** It is a dead letter now, and its inbox row is committed with it. */
  record Recorded(long id) implements RecordedLetter {
    @Override
    public Kind kind() {
      return Kind.RECORDED;
    }
  }

  /** Somebody has handled it in the meantime. */
  record AlreadyHandled() implements RecordedLetter {
    @Override
    public Kind kind() {
      return Kind.ALREADY_HANDLED;
    }
  }

  /** The letter that it has; unchanged. */
  record AlreadyOpen(long id) implements RecordedLetter {
    @Override
    public Kind kind() {
      return Kind.ALREADY_OPEN;
    }
  }
}
