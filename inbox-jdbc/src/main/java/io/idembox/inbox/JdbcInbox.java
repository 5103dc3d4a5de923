package io.idembox.inbox;

import static java.util.Objects.requireNonNull;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectCodec;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.JsonEffectCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The inbox in one PostgreSQL database. Thread-safe. Never closes the data source.
 *
 * <p>The data source should hand out connections in auto-commit mode and at READ COMMITTED, from a
 * pool with at least one connection for each {@link ConsumerInbox#run} under way, and two more.
 */
public final class JdbcInbox {
  /** How long a claim waits for another transaction that holds the same id. */
  public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofSeconds(2);

  /** How long one of the inbox's own statements may take. */
  public static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

  /** The longest that an effect may take inside of a transaction. */
  public static final Duration DEFAULT_EFFECT_TIMEOUT = Duration.ofSeconds(30);

  /** How long others leave alone what this member has written into the journal. */
  public static final Duration DEFAULT_JOURNAL_LEASE = Duration.ofMinutes(1);

  private final InboxConfig config;

  private JdbcInbox(InboxConfig config) {
    this.config = config;
  }

  /** Starts from the defaults. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /**
   * Where the database is, for messages: host, port and database as far as the data source tells,
   * without user and password. Does no I/O.
   */
  public String address() {
    return ("PostgreSQL " + Address.of(config.dataSource())).trim();
  }

  /**
   * Checks that the database can be reached, is PostgreSQL 14 or later, writable, and holds the
   * schema.
   *
   * @throws InboxUnavailableException if it cannot be used now
   * @throws InboxSchemaMismatchException if the schema is missing or older than this version
   */
  public void check() {
    DatabaseCheck.run(config.dataSource());
  }

  /**
   * Checks that the role of the connections may do all that a consumer does. {@link #check} passes
   * with fewer rights, for those who only look.
   *
   * @throws InboxUnavailableException if it may not, with the rights to grant, or if the database
   *     cannot be used now
   */
  public void checkRights() {
    DatabaseRights.check(config.dataSource());
  }

  /**
   * Binds the database to the Kafka cluster that it is used with, the first time; checks it
   * afterwards.
   *
   * @throws ClusterMismatchException if it was used with another one
   * @throws InboxStatementException if a statement failed
   */
  public void bindCluster(String kafkaClusterId) {
    new Installation(config.dataSource()).bind(requireNonNull(kafkaClusterId, "kafkaClusterId"));
  }

  /**
   * Binds the database to another Kafka cluster, as somebody has decided; register consumers anew
   * afterwards. No member may run meanwhile.
   *
   * @throws InboxStatementException if a statement failed
   */
  public void adoptCluster(String kafkaClusterId, ClusterChange change) {
    new Installation(config.dataSource())
        .adopt(requireNonNull(kafkaClusterId, "kafkaClusterId"), requireNonNull(change, "change"));
  }

  /**
   * Makes the consumer known to the database, or finds it there.
   *
   * @throws RegistrationException if the namespace differs from the registered one, or the
   *     fingerprint does and that was not accepted
   * @throws InboxStatementException if a statement failed
   */
  public RegisteredConsumer register(ConsumerRegistration registration) {
    return new Registry(config.dataSource()).register(registration);
  }

  /**
   * Makes a consumer known that builds the rows of another one anew, or finds it there. It works in
   * the other's effect namespace, and what the other has done has no effect again, now or later.
   *
   * @param registration without a namespace, or with the other's
   * @param of the name of the consumer that is rebuilt
   * @throws RegistrationException if there is no consumer of that name, it finds message ids by
   *     other rules, or the new name is taken by a consumer that rebuilds something else or nothing
   * @throws InboxStatementException if a statement failed
   */
  public RegisteredConsumer registerRebuild(ConsumerRegistration registration, String of) {
    return new Registry(config.dataSource()).registerRebuild(registration, of);
  }

  /**
   * As {@link #registerRebuild}, without writing anything: for a look at what a rebuild would do.
   * Where the name is new, the consumer's id is 0, which has no rows.
   */
  public RegisteredConsumer previewRebuild(ConsumerRegistration registration, String of) {
    return new Registry(config.dataSource()).previewRebuild(registration, of);
  }

  /**
   * The consumer of this name as the database knows it; empty if there is none. Changes nothing.
   *
   * @throws InboxStatementException if a statement failed
   */
  public Optional<RegisteredConsumer> find(String name) {
    return new Registry(config.dataSource()).find(name);
  }

  /**
   * Opens a consumer's inbox, as one member. Does no I/O.
   *
   * @param effects those that this process can perform; others are refused at {@code afterCommit}
   * @param guard for {@code once} inside of handlers; null refuses that
   * @throws IllegalArgumentException if the guard's namespace is not the consumer's
   */
  public ConsumerInbox open(
      RegisteredConsumer consumer, EffectCatalog effects, @Nullable EffectGuard guard) {
    if (guard != null && !guard.namespace().equals(consumer.namespace())) {
      throw new IllegalArgumentException(
          "The guard's namespace "
              + guard.namespace()
              + " is not the consumer's, "
              + consumer.namespace()
              + ": build the guard with RegisteredConsumer.namespace()");
    }
    return new ConsumerInbox(config, consumer, effects, guard);
  }

  /** Settings of an inbox. Not thread-safe. */
  public static final class Builder {
    private final DataSource dataSource;
    private Duration lockTimeout = DEFAULT_LOCK_TIMEOUT;
    private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;
    private Duration effectTimeout = DEFAULT_EFFECT_TIMEOUT;
    private @Nullable Duration idleInTransactionTimeout;
    private Duration journalLease = DEFAULT_JOURNAL_LEASE;
    private EffectCodec codec = new JsonEffectCodec();
    private Consumer<Jdbi> jdbi = j -> {};
    private InboxMetrics metrics = InboxMetrics.NONE;

    private Builder(DataSource dataSource) {
      this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    /**
     * How long the claim and the intents wait for another transaction that holds the same id or
     * effect. Short: more retries while a slow member works; long: a lane waits instead. Default 2
     * s, 1 ms to 1 h. It does not reach the handler's own statements.
     */
    public Builder lockTimeout(Duration lockTimeout) {
      this.lockTimeout = requireNonNull(lockTimeout, "lockTimeout");
      return this;
    }

    /**
     * How long one of the inbox's own statements may take, waiting included. Default 30 s, up to 1
     * h.
     */
    public Builder statementTimeout(Duration statementTimeout) {
      this.statementTimeout = requireNonNull(statementTimeout, "statementTimeout");
      return this;
    }

    /**
     * The longest that {@code once} may take inside of a transaction; the server's time-out for
     * idle transactions is derived from it. Default 30 s, up to 1 h.
     */
    public Builder effectTimeout(Duration effectTimeout) {
      this.effectTimeout = requireNonNull(effectTimeout, "effectTimeout");
      return this;
    }

    /** When the server ends a transaction that idles. Default: twice the effect time-out. */
    public Builder idleInTransactionTimeout(Duration timeout) {
      this.idleInTransactionTimeout = requireNonNull(timeout, "timeout");
      return this;
    }

    /**
     * How long the sweepers of other members leave alone an effect that this one wrote into the
     * journal; renew it for effects that wait or run longer. Default 1 min, up to 1 h.
     */
    public Builder journalLease(Duration lease) {
      this.journalLease = requireNonNull(lease, "lease");
      return this;
    }

    /** Encodes the requests that stand in the journal. Default: JSON. */
    public Builder codec(EffectCodec codec) {
      this.codec = requireNonNull(codec, "codec");
      return this;
    }

    /**
     * Sets up the Jdbi that handlers get (plugins, mappers, arguments). Called once for each
     * consumer.
     */
    public Builder configureJdbi(Consumer<Jdbi> configure) {
      this.jdbi = requireNonNull(configure, "configure");
      return this;
    }

    /** Where to count. Default: nowhere. */
    public Builder metrics(InboxMetrics metrics) {
      this.metrics = requireNonNull(metrics, "metrics");
      return this;
    }

    /**
     * Does no I/O.
     *
     * @throws IllegalArgumentException if a value is out of its range, or the idle time-out is not
     *     longer than the effect time-out
     */
    public JdbcInbox build() {
      Duration idle =
          idleInTransactionTimeout == null
              ? effectTimeout.multipliedBy(2)
              : idleInTransactionTimeout;
      return new JdbcInbox(
          new InboxConfig(
              dataSource,
              lockTimeout,
              statementTimeout,
              effectTimeout,
              idle,
              journalLease,
              codec,
              jdbi,
              metrics));
    }
  }
}
