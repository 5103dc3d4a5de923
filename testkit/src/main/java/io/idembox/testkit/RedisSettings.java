package io.idembox.testkit;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a Redis server is to be.
 *
 * @param port where it listens
 * @param bundled the 6.2 that comes with the class path, whatever is on the PATH
 * @param atLeast the lowest major version that will do
 * @param dataFolder a folder of the user's, not removed on close; null for a temporary one
 * @param user the user of the URI; null for the default user
 * @param password its password; null for none
 * @param arguments the server's command line, without port, bind address and folder
 */
record RedisSettings(
    int port,
    boolean bundled,
    int atLeast,
    @Nullable Path dataFolder,
    @Nullable String user,
    @Nullable String password,
    List<String> arguments) {
  RedisSettings {
    arguments = List.copyOf(arguments);
  }
}
