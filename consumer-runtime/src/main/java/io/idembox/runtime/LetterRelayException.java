package io.idembox.runtime;

import org.apache.kafka.common.errors.AuthorizationException;

/** Dead letters could not be copied to their topic; their rows stand, and it is tried again. */
final class LetterRelayException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  LetterRelayException(String topic, Throwable cause) {
    super("Dead letters cannot be copied to topic " + topic + remedy(cause), cause);
  }

  private static String remedy(Throwable cause) {
    return cause instanceof AuthorizationException ? ", which this member needs WRITE on" : "";
  }
}
