package io.idembox.testkit;

import java.nio.file.Path;

/**
 * How PostgreSQL is run: as a process or in a container. Started when made. Not thread-safe: the
 * caller locks.
 */
interface PostgresBackend extends AutoCloseable {
  int port();

  /**
   * Where the cluster's files are.
   *
   * @throws UnsupportedOperationException if they are out of reach, in a container
   */
  Path dataDirectory();

  /** Fast shutdown: sessions end, files are whole. No effect on one that is stopped. */
  void stop();

  /** SIGKILL for all its processes. */
  void kill();

  /** Starts a stopped or killed server on its port and data; returns when it takes connections. */
  void start();

  /** Stops it and removes its data. Idempotent. */
  @Override
  void close();
}
