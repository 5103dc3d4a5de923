package io.idembox.service;

import io.idembox.effect.EffectException;
import io.idembox.inbox.InboxException;
import io.idembox.migrations.SchemaException;
import io.idembox.runtime.ConsumerException;
import io.idembox.runtime.ConsumerFailedException;
import org.apache.kafka.common.KafkaException;
import org.slf4j.LoggerFactory;

/** What a command says, and exits with, when it failed: one line, no stack trace. */
final class Failures {
  private Failures() {}

  static int tell(Throwable failure, Console console) {
    int code = code(failure);
    String text = message(failure);
    console.err().println("error: " + text);
    if (code == ExitCode.UNEXPECTED) {
      LoggerFactory.getLogger(Failures.class).error("Unexpected failure", failure);
    }
    return code;
  }

  /** For collectors that read one JSON object a line, on whichever stream it comes. */
  static int log(Throwable failure) {
    int code = code(failure);
    LoggerFactory.getLogger(Failures.class)
        .error(
            "Ended with exit code {}: {}",
            code,
            message(failure),
            code == ExitCode.UNEXPECTED ? failure : null);
    return code;
  }

  private static int code(Throwable failure) {
    if (failure instanceof ConfigurationException) {
      return ExitCode.CONFIGURATION;
    }
    if (failure instanceof IllegalArgumentException) {
      // What somebody named on the command line: keys, states, times.
      return ExitCode.WRONG_ARGUMENTS;
    }
    if (failure instanceof NotPossibleException) {
      return ExitCode.NOT_POSSIBLE;
    }
    if (failure instanceof InterruptedException) {
      return ExitCode.INTERRUPTED;
    }
    if (failure instanceof ConsumerFailedException) {
      return ExitCode.CONSUMER_FAILED;
    }
    if (failure instanceof ConsumerException
        || failure instanceof InboxException
        || failure instanceof EffectException
        || failure instanceof SchemaException
        || failure instanceof KafkaException
        || failure instanceof ServerException) {
      return ExitCode.SERVER;
    }
    return ExitCode.UNEXPECTED;
  }

  private static String message(Throwable failure) {
    String text = failure.getMessage();
    return text == null || text.isBlank() ? failure.getClass().getSimpleName() : text;
  }
}
