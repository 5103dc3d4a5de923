package io.idembox.testkit;

/**
 * How Redis is run: as a process or in a container. Started when made. Not thread-safe: the caller
 * locks.
 */
interface RedisBackend extends AutoCloseable {
  int port();

  /**
   * SIGTERM: Redis writes what its persistence asks for and ends. No effect on one that is stopped.
   */
  void stop();

  /** SIGKILL. */
  void kill();

  /** Starts a stopped or killed server on its port and data; returns when it answers. */
  void start();

  /** Stops it and removes its data, unless the folder was given by the user. Idempotent. */
  @Override
  void close();
}
