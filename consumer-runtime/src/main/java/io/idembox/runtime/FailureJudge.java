package io.idembox.runtime;

/**
 * Says of a handler's failure whether another attempt can help. Asked only for what is the
 * handler's own failure: trouble with PostgreSQL, Redis or other transactions is known as such, and
 * so is a record that cannot be decoded. Called on worker threads, several at once.
 */
@FunctionalInterface
public interface FailureJudge {

  /** The answer. */
  enum Verdict {
    /** No attempt will ever succeed: the record becomes a dead letter at once. */
    PERMANENT,
    /** It may succeed later: the record is tried again, a bounded number of times. */
    TRANSIENT,
    /**
     * Not known here: permanent for a {@link PermanentFailureException}, a rejected effect and a
     * request that does not fit its key, transient for the rest.
     */
    UNDECIDED
  }

  /**
   * Judges a failure.
   *
   * @param failure what the handler threw, with its causes
   * @return never null; what this throws is logged and counts as {@link Verdict#UNDECIDED}
   */
  Verdict judge(Throwable failure);
}
