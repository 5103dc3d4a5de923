package io.idembox.runtime;

import java.util.Optional;

/**
 * Kafka refuses this member in its group for good: the client does not join again, so a consumer
 * that went on would look alive and read nothing. Its cause says what Kafka has answered.
 */
public final class MembershipEndedException extends ConsumerException {
  private static final long serialVersionUID = 1L;

  MembershipEndedException(String group, Optional<String> instanceId, Throwable cause) {
    super(
        "Kafka refuses this member in group "
            + group
            + instanceId
                .map(
                    id ->
                        " under group.instance.id "
                            + id
                            + ". Each process needs an id of its own; that of a member that was"
                            + " killed is free again after its session time-out")
                .orElse("")
            + ": "
            + Causes.summary(cause),
        cause);
  }
}
