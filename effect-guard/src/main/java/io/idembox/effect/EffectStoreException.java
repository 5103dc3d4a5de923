package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be asked, or refused. Unless the policy says OPEN, no effect ran for want of
 * the store.
 */
public final class EffectStoreException extends EffectException {
  private static final long serialVersionUID = 1L;

  /** What is wrong with the store. */
  public enum Kind {
    /** No connection, or it broke before the answer. */
    UNREACHABLE,
    /**
     * No answer in time, or the connection broke before the answer: the command may have been
     * applied.
     */
    TIMEOUT,
    /** Writes go to a replica. */
    READ_ONLY,
    /** The server still reads its data. */
    LOADING,
    /** The server is at its memory limit. */
    OUT_OF_MEMORY,
    /** The cluster, or this key's part of it, is down. */
    CLUSTER_DOWN,
    /** Wrong credentials, or no right to this command or key. */
    DENIED,
    /** This guard or its store is closed; nothing starts any more. */
    CLOSED,
    /** Too many commands wait already. */
    OVERLOADED,
    /** Anything else; the message quotes it. */
    OTHER
  }

  private final Kind kind;
  private final boolean maybeApplied;

  /** A failure that surely changed nothing, unless it is a time-out. */
  public EffectStoreException(Kind kind, String message, @Nullable Throwable cause) {
    this(kind, message, kind == Kind.TIMEOUT, cause);
  }

  /**
   * A failure that says itself whether the store may have changed.
   *
   * @param maybeApplied whether the command may have been applied all the same
   */
  public EffectStoreException(
      Kind kind, String message, boolean maybeApplied, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.maybeApplied = maybeApplied;
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the failed command may have changed the store all the same. */
  public boolean maybeApplied() {
    return maybeApplied;
  }
}
