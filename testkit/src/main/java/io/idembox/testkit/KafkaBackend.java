package io.idembox.testkit;

import java.nio.file.Path;

/**
 * How a broker is run: in this process or in a container. Started when made. Not thread-safe: the
 * caller locks.
 */
interface KafkaBackend extends AutoCloseable {
  String bootstrapServers();

  /** Where the broker keeps its logs. */
  Path dataDirectory();

  /** Stops the broker and keeps its port and data. No effect on one that is stopped. */
  void stop();

  /** Starts a stopped broker on its port and data. */
  void start();

  /** Stops it and removes its data. Idempotent. */
  @Override
  void close();
}
