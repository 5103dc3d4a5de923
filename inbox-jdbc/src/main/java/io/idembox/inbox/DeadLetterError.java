package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a record is dead: the root cause first, because the outermost exception is always the same.
 * All texts can be stored: U+0000 and unpaired surrogates are left out, and each is capped at 8
 * KiB.
 *
 * @param reason the kind of failure in a few words
 * @param causeClass of the root cause
 * @param causeMessage of the root cause, or null when it has none
 * @param text the chain of causes from the root outwards, with the root's stack
 */
public record DeadLetterError(
    String reason, String causeClass, @Nullable String causeMessage, String text) {
  /** Makes the texts storable; all but the message are required. */
  public DeadLetterError {
    reason = storable(reason, "reason");
    causeClass = storable(causeClass, "causeClass");
    causeMessage = Texts.storable(causeMessage);
    text = storable(text, "text");
  }

  /** What a failure amounts to. */
  public static DeadLetterError of(String reason, Throwable failure) {
    List<Throwable> chain = Causes.of(failure);
    Throwable root = chain.get(chain.size() - 1);
    String message = message(root);
    String name = root.getClass().getName();
    StringBuilder text = new StringBuilder(message == null ? name : name + ": " + message);
    for (StackTraceElement frame : root.getStackTrace()) {
      text.append("\n\tat ").append(frame);
    }
    StringBuilder wrappers = new StringBuilder();
    for (int i = chain.size() - 2; i >= 0; i--) {
      wrappers.append("\nwrapped in ").append(Causes.text(chain.get(i)));
    }
    // The wrappers are worth more than the depths of a stack.
    String stack = Texts.storable(text.toString(), Texts.CAP_BYTES / 2);
    return new DeadLetterError(reason, name, message, stack + wrappers);
  }

  /** A record that was refused for what it is, without an exception. */
  public static DeadLetterError of(String reason, String causeClass, String message) {
    return new DeadLetterError(reason, causeClass, message, causeClass + ": " + message);
  }

  /** With the SQLSTATE, which says more than any message, and which drivers leave out of it. */
  private static @Nullable String message(Throwable root) {
    String message = Causes.message(root);
    return root instanceof SQLException sql && sql.getSQLState() != null
        ? "SQLSTATE " + sql.getSQLState() + ": " + message
        : message;
  }

  private static String storable(String text, String what) {
    return requireNonNull(Texts.storable(requireNonNull(text, what)), what);
  }
}
