package io.idembox.service;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.RedisEffectStore;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * The servers as commands and the API use them: beside the consumer, never as a member of it.
 * Nothing is opened before it is asked for. Thread-safe.
 */
final class Stores implements AutoCloseable {
  private static final int CONNECTIONS = 3;
  private static final Duration KAFKA_LIMIT = Duration.ofSeconds(8);

  private final Settings settings;
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private @Nullable DataSource dataSource;
  private @Nullable RedisEffectStore store;
  private @Nullable RegisteredConsumer consumer;
  private @Nullable ConsumerInbox inbox;
  private @Nullable EffectGuard guard;
  private @Nullable Admin admin;

  private Stores(
      Settings settings, @Nullable DataSource dataSource, @Nullable RedisEffectStore store) {
    this.settings = settings;
    this.dataSource = dataSource;
    this.store = store;
  }

  /** Opens what is needed by itself. */
  static Stores of(Settings settings) {
    return new Stores(settings, null, null);
  }

  /** On the connections of the running service, which closes them. */
  static Stores within(Settings settings, DataSource dataSource, @Nullable RedisEffectStore store) {
    return new Stores(settings, dataSource, store);
  }

  Settings settings() {
    return settings;
  }

  synchronized DataSource dataSource() {
    DataSource open = dataSource;
    if (open == null) {
      PostgresPool.Pool pool = PostgresPool.forInbox(settings, CONNECTIONS);
      closing.push(pool);
      open = pool.dataSource();
      dataSource = open;
    }
    return open;
  }

  JdbcInbox database() {
    return JdbcInbox.builder(dataSource()).build();
  }

  /**
   * The consumer as the database knows it. Not {@link JdbcInbox#register}: that would make the
   * consumer look alive.
   *
   * @throws NotPossibleException if it has never run
   */
  synchronized RegisteredConsumer consumer() {
    RegisteredConsumer known = consumer;
    if (known == null) {
      database().check();
      known =
          find()
              .orElseThrow(
                  () ->
                      new NotPossibleException(
                          "consumer "
                              + settings.get(Options.NAME)
                              + " has never run on this database: start it with 'idembox run', or"
                              + " correct consumer.name"));
      consumer = known;
    }
    return known;
  }

  private Optional<RegisteredConsumer> find() {
    return query(
        """
        select c.id, c.name, c.group_id, n.name, (select id from idembox.installation)
        from idembox.consumer c join idembox.effect_namespace n on n.id = c.namespace_id
        where c.name = ?
        """,
        select -> select.setString(1, settings.get(Options.NAME)),
        row ->
            row.next()
                ? Optional.of(
                    new RegisteredConsumer(
                        row.getShort(1),
                        row.getString(2),
                        row.getString(3),
                        row.getString(4),
                        row.getObject(5, UUID.class)))
                : Optional.empty());
  }

  synchronized ConsumerInbox inbox() {
    ConsumerInbox open = inbox;
    if (open == null) {
      open = database().open(consumer(), EffectCatalog.of(), null);
      inbox = open;
    }
    return open;
  }

  /** Empty where no Redis is configured. */
  synchronized Optional<RedisEffectStore> store() {
    if (store == null) {
      store = RedisStores.connect(settings).orElse(null);
      if (store != null) {
        closing.push(store);
      }
    }
    return Optional.ofNullable(store);
  }

  /** The guard in the consumer's namespace; empty where no Redis is configured. */
  synchronized Optional<EffectGuard> guard() {
    if (guard == null) {
      String namespace = consumer().namespace();
      guard =
          store().map(open -> EffectGuard.builder(open).namespace(namespace).build()).orElse(null);
      if (guard != null) {
        closing.push(guard);
      }
    }
    return Optional.ofNullable(guard);
  }

  synchronized Admin admin() {
    Admin open = admin;
    if (open == null) {
      Map<String, Object> properties = new HashMap<>(settings.group(Options.KAFKA));
      properties.keySet().retainAll(AdminClientConfig.configNames());
      // Not the consumer's: a client refuses a request's limit that is above its own.
      properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) KAFKA_LIMIT.toMillis() / 2);
      properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) KAFKA_LIMIT.toMillis());
      open = created(properties);
      Admin closed = open;
      // At once: its own close waits for answers that did not come.
      closing.push(() -> closed.close(Duration.ZERO));
      admin = open;
    }
    return open;
  }

  /**
   * A login or another class that the properties name may be the plug-ins': Kafka asks the thread.
   */
  private Admin created(Map<String, Object> properties) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      if (KafkaProperties.nameClasses(settings.group(Options.KAFKA))) {
        // Closed after the client, which goes on to use them.
        Plugins.ofThread(settings).ifPresent(closing::push);
      }
      return Admin.create(properties);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @FunctionalInterface
  interface Binder {
    void bind(PreparedStatement statement) throws SQLException;
  }

  @FunctionalInterface
  interface Reader<T> {
    T read(ResultSet rows) throws SQLException;
  }

  /** One statement that reads. */
  <T> T query(String sql, Binder binder, Reader<T> reader) {
    try (Connection connection = dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      binder.bind(statement);
      try (ResultSet rows = statement.executeQuery()) {
        return reader.read(rows);
      }
    } catch (SQLException e) {
      throw new ServerException(
          database().address() + " did not answer a question: " + state(e), e);
    }
  }

  /**
   * What is to be told of a statement that failed: its SQLSTATE, and for a right that is missing
   * the server's words, which hold no value.
   */
  String state(SQLException e) {
    String state = "SQLSTATE " + e.getSQLState();
    return "42501".equals(e.getSQLState())
        ? state
            + ", "
            + String.valueOf(e.getMessage()).lines().findFirst().orElse("")
            + " for role "
            + settings.find(Options.POSTGRES_USER).orElse("of postgres.user")
            + ": grant it what it lacks, which idembox doctor names"
        : state;
  }

  @Override
  public synchronized void close() {
    while (!closing.isEmpty()) {
      try {
        closing.pop().close();
      } catch (Exception e) {
        // The command has its answer already.
        org.slf4j.LoggerFactory.getLogger(Stores.class).debug("A connection did not close", e);
      }
    }
  }
}
