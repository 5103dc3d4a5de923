package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What one test has of the shared servers: its own database, its own key namespace, its own topic
 * and group names.
 *
 * <p>A server starts when it is first asked for here. The database is made with the first call of
 * {@link #postgres()}, and dropped after the test, which must have closed its connections or does
 * not mind losing them. Thread-safe.
 */
public final class TestScope {
  // Distinguishes the runs that share one server, in containers kept alive or by hand.
  private static final String RUN =
      Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36 * 36), 36);

  private final SharedServers servers;
  private final String name;
  private final List<String> databases = new ArrayList<>();
  private final Map<String, Integer> topics = new ConcurrentHashMap<>();
  private @Nullable Database database;

  TestScope(SharedServers servers) {
    this.servers = servers;
    this.name = "t" + servers.nextScope() + RUN;
  }

  /**
   * A name that no other test has, of letters and digits: for Redis key prefixes, effect
   * namespaces, consumer names.
   */
  public String namespace() {
    return name;
  }

  /** This test's own database, empty at first; the same one with every call. */
  public synchronized Database postgres() {
    if (database == null) {
      database = newDatabase("template1");
    }
    return database;
  }

  /**
   * A further database of this test's own, a copy of one that was prepared once for the whole run:
   * quicker than running migrations for each test.
   *
   * @param template names the preparation; the first caller's preparer runs, later ones are ignored
   * @param preparer fills the database, and closes its connections before it returns
   * @throws TestkitException if the preparer failed, now or for an earlier test
   */
  public Database postgres(String template, DatabasePreparer preparer) {
    return newDatabase(
        servers.template(
            requireNonNull(template, "template"), requireNonNull(preparer, "preparer")));
  }

  private synchronized Database newDatabase(String template) {
    EmbeddedPostgres server = servers.postgres();
    String created = name + "_" + databases.size();
    server.createDatabase(created, template);
    databases.add(created);
    return new Database(server, created);
  }

  /** The shared Redis server; use {@link #namespace()} in every key. */
  public Redis redis() {
    return new Redis(servers.redis());
  }

  /** The shared broker. */
  public Kafka kafka() {
    return new Kafka(servers.kafka());
  }

  /**
   * Makes a topic.
   *
   * @return its name, which begins with {@code base}: the same base gives another topic with each
   *     call
   */
  public String topic(String base, int partitions) {
    return topic(base, partitions, Map.of());
  }

  /**
   * Makes a topic with settings such as {@code retention.ms}.
   *
   * @return its name, which begins with {@code base}: the same base gives another topic with each
   *     call
   */
  public String topic(String base, int partitions, Map<String, String> configs) {
    int count = topics.merge(base, 1, Integer::sum);
    String topic = base + "-" + name + (count == 1 ? "" : "-" + count);
    servers.kafka().createTopic(topic, partitions, configs);
    return topic;
  }

  /** A group id that no other test has: the same one with every call of this base. */
  public String group(String base) {
    return base + "-" + name;
  }

  synchronized void close() {
    databases.forEach(servers::dropLater);
    databases.clear();
  }

  /** Fills a database that others are then copied from. */
  @FunctionalInterface
  public interface DatabasePreparer {
    /**
     * Prepares the database, and leaves no connection open.
     *
     * @throws Exception any failure; every test that asks for this template fails with it
     */
    void prepare(DataSource database) throws Exception;
  }

  /** A database of one test. Thread-safe. */
  public static final class Database {
    private final EmbeddedPostgres server;
    private final String name;

    private Database(EmbeddedPostgres server, String name) {
      this.server = server;
      this.name = name;
    }

    /** The database's name. */
    public String name() {
      return name;
    }

    /** A URL with user and password in it. */
    public String jdbcUrl() {
      return server.jdbcUrl(name);
    }

    /** Opens a connection of its own each time: no pool. */
    public DataSource dataSource() {
      return server.dataSource(name);
    }

    /** The loopback address. */
    public String host() {
      return server.host();
    }

    /** The server's port. */
    public int port() {
      return server.port();
    }

    /** The superuser. */
    public String user() {
      return server.user();
    }

    /** Its password. */
    public String password() {
      return server.password();
    }
  }

  /** The shared Redis, as far as a test may touch it. Thread-safe. */
  public static final class Redis {
    private final EmbeddedRedis server;

    private Redis(EmbeddedRedis server) {
      this.server = server;
    }

    /** {@code redis://host:port}. */
    public String uri() {
      return server.uri();
    }

    /** The loopback address. */
    public String host() {
      return server.host();
    }

    /** The server's port. */
    public int port() {
      return server.port();
    }

    /** 7 or later if the PATH has such a {@code redis-server}, else 6. */
    public int majorVersion() {
      return server.majorVersion();
    }

    /** As {@link EmbeddedRedis#command}. */
    public String command(String... words) {
      return server.command(words);
    }
  }

  /** The shared broker, as far as a test may touch it. Thread-safe. */
  public static final class Kafka {
    private final EmbeddedKafka server;

    private Kafka(EmbeddedKafka server) {
      this.server = server;
    }

    /** {@code host:port}. */
    public String bootstrapServers() {
      return server.bootstrapServers();
    }
  }
}
