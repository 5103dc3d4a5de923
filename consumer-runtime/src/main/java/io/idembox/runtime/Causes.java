package io.idembox.runtime;

import io.idembox.effect.EffectException;
import io.idembox.inbox.InboxException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chains of causes, which may bite their own tail. */
final class Causes {
  private static final int MOST_CHARACTERS = 500;

  private Causes() {}

  /** The failure, its cause, and so on to the root. */
  static List<Throwable> of(Throwable failure) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Throwable> chain = new ArrayList<>();
    for (@Nullable Throwable t = failure; t != null && seen.add(t); t = t.getCause()) {
      chain.add(t);
    }
    return chain;
  }

  /** Whether a failure of this type is among them. */
  static boolean has(Throwable failure, Class<? extends Throwable> type) {
    return of(failure).stream().anyMatch(type::isInstance);
  }

  static Throwable root(Throwable failure) {
    List<Throwable> chain = of(failure);
    return chain.get(chain.size() - 1);
  }

  /**
   * One line about a failure, for logs and journals: the root cause first, since wrappers say
   * little. Bounded and without control characters, whatever the failure's message holds; and it
   * cannot fail, whatever the failure's own code does.
   */
  static String summary(Throwable failure) {
    try {
      return oneLine(describe(failure));
    } catch (Throwable e) {
      // A message that is put together when it is asked for, and cannot be.
      return failure.getClass().getName()
          + " (it cannot be printed: "
          + e.getClass().getName()
          + ")";
    }
  }

  /**
   * One line for whoever has asked for something that is refused: our own exceptions say what is
   * wrong without the names of classes.
   */
  static String told(Throwable failure) {
    String message = failure.getMessage();
    boolean ours =
        failure instanceof InboxException
            || failure instanceof EffectException
            || failure instanceof ConsumerException;
    return ours && message != null ? oneLine(message) : summary(failure);
  }

  private static String describe(Throwable failure) {
    Throwable root = root(failure);
    for (Throwable t : of(failure)) {
      if (t instanceof UndecodableRecordException undecodable) {
        // The decoder's own message may quote the payload.
        return String.valueOf(undecodable.getMessage());
      }
      if (t instanceof TransactionTimedOutException timedOut) {
        // The server's own words name no setting of ours.
        return String.valueOf(timedOut.getMessage());
      }
    }
    if (root == failure || failure instanceof RecordFailedException) {
      return root.toString();
    }
    String message = String.valueOf(failure.getMessage());
    return message.contains(String.valueOf(root.getMessage())) ? message : message + ": " + root;
  }

  private static String oneLine(String text) {
    StringBuilder line = new StringBuilder(Math.min(text.length(), MOST_CHARACTERS) + 3);
    for (int i = 0; i < text.length(); i++) {
      if (line.length() >= MOST_CHARACTERS) {
        return line.append("...").toString();
      }
      char c = text.charAt(i);
      line.append(Character.isISOControl(c) ? ' ' : c);
    }
    return line.toString();
  }
}
