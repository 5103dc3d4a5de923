package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server on a free loopback port, as durable as a real one: {@code fsync}, {@code
 * synchronous_commit} and {@code full_page_writes} are on. It runs as a process, under root too,
 * unless {@code idembox.services=containers}.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final String USER = "postgres";

  private final PostgresBackend backend;
  private final String password;

  private EmbeddedPostgres(PostgresBackend backend, String password) {
    this.backend = backend;
    this.password = password;
  }

  /**
   * Starts a server with default settings.
   *
   * @throws ServerStartException if it does not start
   */
  public static EmbeddedPostgres start() {
    return builder().start();
  }

  /** A server with settings of its own. */
  public static Builder builder() {
    return new Builder();
  }

  /** The loopback address. */
  public String host() {
    return HOST;
  }

  /** The port, the same for the whole life of this object, across {@link #restart()} too. */
  public int port() {
    return backend.port();
  }

  /** The superuser's name. */
  public String user() {
    return USER;
  }

  /** The superuser's password; any will do unless {@link Builder#password} was set. */
  public String password() {
    return password;
  }

  /**
   * A URL for a database, with user and password in it. The database {@code postgres} is always
   * there.
   */
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://%s:%d/%s?user=%s&password=%s"
        .formatted(HOST, port(), encode(database), encode(USER), encode(password));
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Opens a connection of its own each time: no pool. */
  public DataSource dataSource(String database) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(new String[] {HOST});
    source.setPortNumbers(new int[] {port()});
    source.setDatabaseName(requireNonNull(database, "database"));
    source.setUser(USER);
    source.setPassword(password);
    return source;
  }

  /**
   * Makes an empty database.
   *
   * @return its name, never given out before
   * @throws TestkitException if the server refuses or does not answer
   */
  public String createDatabase() {
    return createDatabase("template1");
  }

  /**
   * Makes a database as a copy of another, to which nobody may be connected.
   *
   * @return its name, never given out before
   * @throws TestkitException if the server refuses or does not answer
   */
  public String createDatabase(String template) {
    String name = "db_" + UUID.randomUUID().toString().replace("-", "");
    createDatabase(name, template);
    return name;
  }

  void createDatabase(String name, String template) {
    execute("create database " + quoted(name) + " template " + quoted(template));
  }

  /**
   * Drops a database and ends the sessions in it. No effect if there is none of that name.
   *
   * @throws TestkitException if the server refuses or does not answer
   */
  public void dropDatabase(String name) {
    execute("drop database if exists " + quoted(name) + " with (force)");
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  private void execute(String sql) {
    try (Connection connection = dataSource("postgres").getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new TestkitException(
          "PostgreSQL on port " + port() + ": " + sql + ": " + e.getMessage(), e);
    }
  }

  /**
   * Where the server's files are.
   *
   * @throws UnsupportedOperationException if it runs in a container
   */
  public Path dataDirectory() {
    return backend.dataDirectory();
  }

  /**
   * Ends all sessions and stops the server; port and data stay for {@link #restart()}. No effect on
   * a stopped one.
   */
  public synchronized void stop() {
    backend.stop();
  }

  /**
   * SIGKILL for all the server's processes at once; port and data stay for {@link #restart()},
   * which recovers them.
   */
  public synchronized void kill() {
    backend.kill();
  }

  /**
   * Stops the server if it runs, and starts it on the same port and data; returns when it takes
   * connections.
   *
   * @throws ServerStartException if it does not start
   */
  public synchronized void restart() {
    backend.stop();
    backend.start();
  }

  /** Stops the server and removes its data. Idempotent. */
  @Override
  public synchronized void close() {
    backend.close();
  }

  /** Settings of a server. Not thread-safe. */
  public static final class Builder {
    private final Map<String, String> settings = new TreeMap<>();
    private @Nullable String password;
    private int port;

    private Builder() {
      settings.put("fsync", "on");
      settings.put("synchronous_commit", "on");
      settings.put("full_page_writes", "on");
      settings.put("max_connections", "200");
      settings.put("timezone", "UTC");
    }

    /**
     * Sets a server setting such as {@code max_connections}; the last word wins over our defaults.
     */
    public Builder setting(String name, String value) {
      settings.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
      return this;
    }

    /** Asks every session for this password (SCRAM); without it any is taken. */
    public Builder password(String value) {
      this.password = requireNonNull(value, "password");
      return this;
    }

    /** Listens on this port instead of a free one. */
    public Builder port(int value) {
      this.port = value;
      return this;
    }

    /**
     * Starts the server.
     *
     * @throws ServerStartException if it does not start
     */
    public EmbeddedPostgres start() {
      int chosen = port == 0 ? FreePorts.next() : port;
      String secret = password;
      PostgresBackend backend =
          Services.start(
              "PostgreSQL",
              "testcontainers-postgresql",
              () -> new PostgresServer(USER, secret, chosen, settings),
              () -> new ContainerPostgres(USER, secret, chosen, settings));
      return new EmbeddedPostgres(backend, secret == null ? USER : secret);
    }
  }
}
