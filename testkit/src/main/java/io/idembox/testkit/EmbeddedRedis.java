package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server on a free loopback port. It is the {@code redis-server} of the PATH if that is
 * version 7 or later, else the 6.2 that comes with the class path; it runs as a process unless
 * {@code idembox.services=containers}.
 *
 * <p>It keeps an append-only file, so that what it acknowledged is there after {@link #kill()} and
 * {@link #restart()}; its memory has no limit and nothing is evicted. Thread-safe.
 */
public final class EmbeddedRedis implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final RedisBackend backend;
  private final RedisSettings settings;
  private final String version;

  private EmbeddedRedis(RedisBackend backend, RedisSettings settings) {
    this.backend = backend;
    this.settings = settings;
    this.version = serverVersion();
  }

  /**
   * Starts a server with default settings.
   *
   * @throws ServerStartException if it does not start
   */
  public static EmbeddedRedis start() {
    return builder().start();
  }

  /** A server with settings of its own. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The major version of the {@code redis-server} on the PATH, for tests that are skipped without a
   * recent one.
   */
  public static OptionalInt majorVersionOnPath() {
    return RedisBinaries.onPath().map(b -> OptionalInt.of(b.major())).orElse(OptionalInt.empty());
  }

  /** {@code redis://[user][:password@]host:port}. */
  public String uri() {
    String password = settings.password();
    if (password == null) {
      return "redis://" + HOST + ":" + port();
    }
    String user = settings.user() == null ? "" : encode(settings.user());
    return "redis://" + user + ":" + encode(password) + "@" + HOST + ":" + port();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** The loopback address. */
  public String host() {
    return HOST;
  }

  /** The port, the same for the whole life of this object, across {@link #restart()} too. */
  public int port() {
    return backend.port();
  }

  /** The server's version, such as {@code 7.0.15}. */
  public String version() {
    return version;
  }

  /** The first number of {@link #version()}. */
  public int majorVersion() {
    return Integer.parseInt(version.substring(0, version.indexOf('.')));
  }

  private String serverVersion() {
    return command("INFO", "server")
        .lines()
        .filter(line -> line.startsWith("redis_version:"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElseThrow(
            () -> new TestkitException("Redis on port " + port() + " does not tell its version"));
  }

  /**
   * Gives the server one command on a connection of its own, such as {@code command("CONFIG",
   * "SET", "maxmemory", "2mb")}.
   *
   * @return the reply; arrays are joined by line breaks, nil is empty
   * @throws TestkitException if Redis answers with an error or not at all
   */
  public String command(String... words) {
    try (RespConnection connection = new RespConnection(HOST, port())) {
      String password = settings.password();
      if (password != null) {
        connection.command("AUTH", settings.user() == null ? "default" : settings.user(), password);
      }
      return connection.command(words);
    } catch (IOException e) {
      throw new TestkitException(
          "Redis on port " + port() + ": " + words[0] + ": " + e.getMessage(), e);
    }
  }

  /**
   * Stops the server as SIGTERM does; port and data stay for {@link #restart()}. No effect on a
   * stopped one.
   */
  public synchronized void stop() {
    backend.stop();
  }

  /** SIGKILL; port and data stay for {@link #restart()}. */
  public synchronized void kill() {
    backend.kill();
  }

  /**
   * Stops the server if it runs, and starts it on the same port and data; returns when it answers.
   *
   * @throws ServerStartException if it does not start
   */
  public synchronized void restart() {
    backend.stop();
    backend.start();
  }

  /**
   * Stops the server and removes its data, unless the folder was given to the builder. Idempotent.
   */
  @Override
  public synchronized void close() {
    backend.close();
  }

  /** Settings of a server. Not thread-safe. */
  public static final class Builder {
    private final List<String> arguments = new ArrayList<>();
    private boolean persistent = true;
    private boolean bundled;
    private int atLeast = 1;
    private int port;
    private @Nullable Path dataFolder;
    private @Nullable String user;
    private @Nullable String password;

    private Builder() {}

    /** Adds to the server's command line, such as {@code args("--maxmemory", "2mb")}. */
    public Builder args(String... words) {
      arguments.addAll(List.of(words));
      return this;
    }

    /** Keeps nothing on disk: a restart begins empty. */
    public Builder inMemory() {
      persistent = false;
      return this;
    }

    /** Runs the 6.2 that comes with the class path, whatever is on the PATH. */
    public Builder bundled() {
      bundled = true;
      return this;
    }

    /** Refuses to start a server older than this major version. */
    public Builder atLeast(int major) {
      atLeast = major;
      return this;
    }

    /** Listens on this port instead of a free one. */
    public Builder port(int value) {
      port = value;
      return this;
    }

    /**
     * Keeps the data in this folder, which must exist and is not removed on close. Not in
     * containers.
     */
    public Builder dataFolder(Path folder) {
      dataFolder = requireNonNull(folder, "folder");
      return this;
    }

    /** Asks for this password, of the default user. */
    public Builder password(String value) {
      password = requireNonNull(value, "password");
      user = null;
      arguments.addAll(List.of("--requirepass", value));
      return this;
    }

    /**
     * Makes a user with these ACL rules, such as {@code ~idembox:* +@all}, whom the URI then names.
     * The default user stays, without a password, unless {@code args("--user", "default", "off")}
     * says otherwise.
     */
    public Builder user(String name, String secret, String... rules) {
      user = requireNonNull(name, "name");
      password = requireNonNull(secret, "secret");
      arguments.addAll(List.of("--user", name, "on", ">" + secret));
      arguments.addAll(List.of(rules));
      return this;
    }

    /**
     * Starts the server.
     *
     * @throws ServerStartException if it does not start or none of the version asked for is there
     */
    public EmbeddedRedis start() {
      List<String> all =
          new ArrayList<>(List.of("--save", "", "--appendonly", persistent ? "yes" : "no"));
      all.addAll(arguments);
      int chosen = port == 0 ? FreePorts.next() : port;
      RedisSettings settings =
          new RedisSettings(chosen, bundled, atLeast, dataFolder, user, password, all);
      RedisBackend backend =
          Services.start(
              "Redis",
              "testcontainers",
              () -> new RedisServer(settings),
              () -> new ContainerRedis(settings));
      try {
        return new EmbeddedRedis(backend, settings);
      } catch (RuntimeException e) {
        backend.close();
        throw new ServerStartException("Redis did not start: " + e.getMessage(), e);
      }
    }
  }
}
