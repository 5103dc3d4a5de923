package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/** What became of a retry whose handler did not fail. */
public sealed interface LetterRetry {
  /** Which of the answers this is. */
  Kind kind();

  /** The closed set of answers. */
  enum Kind {
    /** Handled and closed. */
    RETRIED,
    /** Nothing ran. */
    NOT_OPEN
  }

  /**
   * The handler's writes and the letter's closing are committed together.
   *
   * @param run with the effects that are now this member's to perform
   */
  record Retried(InboxRun run) implements LetterRetry {
    /** The run is required. */
    public Retried {
      requireNonNull(run, "run");
    }

    @Override
    public Kind kind() {
      return Kind.RETRIED;
    }
  }

  /**
   * The letter is not open, so nothing ran.
   *
   * @param state where it stands; null when there is no such letter of this consumer
   */
  record NotOpen(@Nullable DeadLetterState state) implements LetterRetry {
    @Override
    public Kind kind() {
      return Kind.NOT_OPEN;
    }
  }
}
