package io.idembox.runtime;

import java.util.Map;
import java.util.UUID;

/** The ids that Kafka gave the subscribed topics. Immutable. */
record TopicIds(Map<String, UUID> byName) {
  static final UUID UNKNOWN = new UUID(0, 0);

  TopicIds {
    byName = Map.copyOf(byName);
  }

  UUID of(String topic) {
    return byName.getOrDefault(topic, UNKNOWN);
  }
}
