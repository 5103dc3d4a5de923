package io.idembox.effect;

import org.jspecify.annotations.Nullable;

/**
 * How one run of effect code ended, and what the store is to be told.
 *
 * @param receipt what the code returned; null unless done
 * @param cause what the code threw; null if done
 */
record RunEnd<R>(
    Kind kind, StoreCommand command, @Nullable Receipt<R> receipt, @Nullable Throwable cause) {
  enum Kind {
    DONE,
    REJECTED,
    NOT_PERFORMED,
    UNKNOWN
  }
}
