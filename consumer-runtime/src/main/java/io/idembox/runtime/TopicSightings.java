package io.idembox.runtime;

import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Asks Kafka which topics stand behind the names at this moment. */
@FunctionalInterface
interface TopicSightings {
  /**
   * The topics' ids, by name; without those that do not exist. The zero id stands for a broker that
   * names none. Asked after this call, never from memory.
   */
  CompletableFuture<Map<String, UUID>> ask(Set<String> topics);
}
