package io.idembox.effect;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The one place that says what a failure of Redis or of its client means. */
final class RedisErrors {
  private static final String REJECTED = "Currently not connected";
  private static final String QUEUE_FULL = "queue size exceeded";

  private RedisErrors() {}

  /**
   * Classifies a failure.
   *
   * @param where host and port, for the message
   */
  static EffectStoreException of(@Nullable Throwable failure, String where) {
    Throwable e = failure;
    while ((e instanceof CompletionException || e instanceof ExecutionException)
        && e.getCause() != null) {
      e = e.getCause();
    }
    if (e instanceof EffectStoreException known) {
      return known;
    }
    String message = e == null ? "unknown" : String.valueOf(e.getMessage());
    if (e instanceof RedisCommandExecutionException) {
      EffectStoreException.Kind kind = ofReply(message);
      return new EffectStoreException(
          kind, "Redis at %s refused: %s".formatted(where, message), false, e);
    } else if (e instanceof RedisCommandTimeoutException
        || e instanceof TimeoutException
        || e instanceof CancellationException) {
      return new EffectStoreException(
          EffectStoreException.Kind.TIMEOUT,
          "Redis at %s has not answered in time".formatted(where),
          true,
          e);
    } else if (e != null && (e instanceof RedisConnectionException || message.contains(REJECTED))) {
      return unreachable(e, where);
    } else if (message.contains(QUEUE_FULL)) {
      return new EffectStoreException(
          EffectStoreException.Kind.OVERLOADED,
          "Too many commands wait for Redis at %s already".formatted(where),
          false,
          e);
    }
    // Whatever else the client says, such as a connection that broke: the command may have been
    // applied.
    return new EffectStoreException(
        EffectStoreException.Kind.UNREACHABLE,
        "Redis at %s did not answer: %s".formatted(where, message),
        true,
        e);
  }

  /**
   * By the innermost cause: the client's own message quotes its URI, and the server's word says
   * more, such as WRONGPASS.
   */
  private static EffectStoreException unreachable(Throwable failure, String where) {
    Throwable inner = failure;
    boolean tls = failure instanceof SSLException;
    while (inner.getCause() != null) {
      inner = inner.getCause();
      tls |= inner instanceof SSLException;
    }
    if (tls) {
      return new EffectStoreException(
          EffectStoreException.Kind.UNREACHABLE,
          "Redis at %s: the TLS handshake failed: %s. Is its certificate's authority trusted (trustedCertificates), does its name fit, does it ask for a clientCertificate?"
              .formatted(where, inner.getMessage()),
          false,
          failure);
    }
    String message = String.valueOf(inner.getMessage());
    EffectStoreException.Kind kind =
        inner instanceof RedisCommandExecutionException
            ? ofReply(message)
            : EffectStoreException.Kind.UNREACHABLE;
    return new EffectStoreException(
        kind, "Redis at %s cannot be reached: %s".formatted(where, message), false, failure);
  }

  /**
   * By the code that the protocol puts in front of an error, or that a script of an older server
   * quotes.
   */
  private static EffectStoreException.Kind ofReply(String message) {
    int end = message.indexOf(' ');
    String code = (end < 0 ? message : message.substring(0, end)).toUpperCase(Locale.ROOT);
    int quoted = message.indexOf(": -");
    if ((code.equals("ERR") || code.startsWith("@")) && quoted >= 0) {
      String inner = message.substring(quoted + 3);
      int space = inner.indexOf(' ');
      code = space < 0 ? inner : inner.substring(0, space);
    }
    return switch (code) {
      case "READONLY" -> EffectStoreException.Kind.READ_ONLY;
      case "LOADING" -> EffectStoreException.Kind.LOADING;
      case "OOM" -> EffectStoreException.Kind.OUT_OF_MEMORY;
      case "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "MOVED", "ASK" ->
          EffectStoreException.Kind.CLUSTER_DOWN;
      case "NOAUTH", "WRONGPASS", "NOPERM" -> EffectStoreException.Kind.DENIED;
      default -> EffectStoreException.Kind.OTHER;
    };
  }
}
