package io.idembox.service;

import static io.idembox.service.Option.defaulted;
import static io.idembox.service.Option.optional;
import static io.idembox.service.Option.required;
import static io.idembox.service.Option.secret;

import io.idembox.effect.OnUnknown;
import io.idembox.inbox.IdScope;
import io.idembox.runtime.Ordering;
import java.time.Duration;
import java.util.List;

/** The catalog of all keys. What is not here is refused. */
final class Options {
  private static final ValueType<Duration> BACKOFF =
      ValueType.duration(Duration.ofMillis(1), Duration.ofHours(1));

  // consumer
  static final Option<String> NAME =
      required(
          "consumer.name",
          ValueType.name(),
          "The name under which the inbox remembers what was done. Another name is another"
              + " consumer: it handles everything anew.");
  static final Option<String> GROUP_ID =
      optional("consumer.group-id", ValueType.name(), "consumer.name", "The Kafka consumer group.");
  static final Option<String> EFFECT_NAMESPACE =
      optional(
          "consumer.effect-namespace",
          ValueType.text(),
          "the name and the id of the database's installation",
          "The namespace of the effect keys, for services that must share their effects. Counts at"
              + " the first registration of the name only.");
  static final Option<Start> START =
      defaulted(
          "consumer.start",
          ValueType.choice(Start.class),
          "earliest",
          "Where reading starts on a partition without a committed offset. latest passes over what"
              + " is there already.");
  static final Option<Ordering> ORDERING =
      defaulted(
          "consumer.ordering",
          ValueType.choice(Ordering.class),
          "partition",
          "Which records wait for each other: all of a partition, those of one key, or none.");
  static final Option<Integer> CONCURRENCY =
      defaulted(
          "consumer.concurrency",
          ValueType.integer("batches", 1, 256),
          "4",
          "How many batches run at the same time. Each needs a database connection while it runs.");
  static final Option<Integer> BATCH_RECORDS =
      defaulted(
          "consumer.batch-records",
          ValueType.integer("records", 1, 10_000),
          "1000",
          "The most records in one transaction. More save round trips; a failed record makes its"
              + " batch run again in parts.");
  static final Option<Duration> TRANSACTION_TARGET =
      defaulted(
          "consumer.transaction-target",
          ValueType.duration(Duration.ofMillis(1), Duration.ofSeconds(10)),
          "250ms",
          "How long a transaction should take; batches follow the handler's pace. Longer saves"
              + " round trips; shorter gives way sooner to a rebalance.");
  static final Option<Integer> MAX_ATTEMPTS =
      defaulted(
          "consumer.max-attempts",
          ValueType.integer("attempts", 1, Integer.MAX_VALUE),
          "10",
          "How often a failing record is handled, the first run included and over restarts, before"
              + " it becomes a dead letter. Outages use up none.");
  static final Option<String> DEAD_LETTER_TOPIC =
      optional(
          "consumer.dead-letter-topic",
          ValueType.topic(),
          "",
          "A topic to which dead letters are copied, for tools that look there. The rows in the"
              + " database are the letters, and offsets wait for them alone: what cannot be sent is"
              + " sent later.");
  static final Option<Duration> RETRY_BACKOFF =
      defaulted(
          "consumer.retry-backoff",
          BACKOFF,
          "200ms",
          "The pause after the first failed attempt of a record; it doubles with each further"
              + " one.");
  static final Option<Duration> RETRY_BACKOFF_MAX =
      defaulted(
          "consumer.retry-backoff-max",
          BACKOFF,
          "30s",
          "The longest pause between the attempts of a record.");
  static final Option<Integer> EFFECT_ATTEMPTS =
      defaulted(
          "consumer.effect-attempts",
          ValueType.integer("attempts", 1, Integer.MAX_VALUE),
          "50",
          "How often an effect after the commit is begun before it is given up, or held if its"
              + " outcome is unknown; the first time counts. With the default pauses, about seven"
              + " hours.");
  static final Option<Duration> EFFECT_BACKOFF =
      defaulted(
          "consumer.effect-backoff",
          BACKOFF,
          "1s",
          "The pause before an effect that did not succeed is begun again; it doubles with each"
              + " further one.");
  static final Option<Duration> EFFECT_BACKOFF_MAX =
      defaulted(
          "consumer.effect-backoff-max",
          BACKOFF,
          "10m",
          "The longest pause before an effect is begun again.");
  static final Option<Duration> COMMIT_INTERVAL =
      defaulted(
          "consumer.commit-interval",
          ValueType.duration(Duration.ofMillis(10), Duration.ofMinutes(1)),
          "250ms",
          "The least time between two offset commits. What was not committed is skipped by the"
              + " inbox when it comes again.");
  static final Option<Duration> DRAIN_BUDGET =
      optional(
          "consumer.drain-budget",
          ValueType.duration(Duration.ofMillis(100), Duration.ofHours(1)),
          "10s, or a third of kafka.max.poll.interval.ms if that is shorter",
          "How long a partition that goes to another member is kept for its running batch to"
              + " finish. The whole group waits as long: keep it below"
              + " kafka.max.poll.interval.ms.");
  static final Option<Duration> SHUTDOWN_BUDGET =
      defaulted(
          "consumer.shutdown-budget",
          ValueType.duration(Duration.ofSeconds(1), Duration.ofHours(1)),
          "20s",
          "How long a stop waits for what runs; closing connections takes up to 5 s more. Keep both"
              + " below the orchestrator's grace (terminationGracePeriodSeconds,"
              + " stop_grace_period).");
  static final Option<Duration> EFFECT_TIMEOUT_INSIDE =
      defaulted(
          "consumer.effect-timeout",
          ValueType.duration(Duration.ofMillis(1), Duration.ofHours(1)),
          "30s",
          "The longest that an effect may take inside of a transaction (once).");
  static final Option<Duration> IDLE_TIMEOUT =
      optional(
          "consumer.idle-in-transaction-timeout",
          ValueType.duration(Duration.ofMillis(1), Duration.ofHours(2)),
          "twice consumer.effect-timeout",
          "When PostgreSQL ends a transaction in which no statement comes: the longest that a"
              + " handler may take between two statements. Too long, and a frozen process keeps its"
              + " locks for as long.");
  static final Option<Integer> EFFECT_CONCURRENCY =
      defaulted(
          "consumer.effect-concurrency",
          ValueType.integer("effects", 1, 10_000),
          "32",
          "How many effects run at the same time, all batches together. Effects of one key never"
              + " do.");
  static final Option<Integer> MAX_UNSETTLED_EFFECTS =
      defaulted(
          "consumer.max-unsettled-effects",
          ValueType.integer("effects", 1, Integer.MAX_VALUE),
          "100000",
          "The most effects that the journal may owe, of all members together. Above it no new"
              + " records are handled until some are settled.");
  static final Option<Duration> SWEEP_INTERVAL =
      defaulted(
          "consumer.sweep-interval",
          ValueType.duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
          "2s",
          "How often effects that were put off or left behind are looked for.");

  // message-id
  static final Option<Boolean> ID_USE_HEADER =
      defaulted(
          "message-id.use-header",
          ValueType.flag(),
          "true",
          "Whether the header is asked for a message's id.");
  static final Option<String> ID_HEADER =
      defaulted(
          "message-id.header",
          ValueType.text(),
          "message-id",
          "The header that carries a message's id. Names are case-sensitive.");
  static final Option<Boolean> ID_CLOUD_EVENTS =
      defaulted(
          "message-id.cloud-events",
          ValueType.flag(),
          "true",
          "Whether CloudEvents are known by their source and id, where the header is not there.");
  static final Option<String> ID_POINTER =
      optional(
          "message-id.json-pointer",
          ValueType.text("a JSON pointer such as /event/id"),
          "",
          "Where a JSON value holds its id, where neither header nor CloudEvents pair is there.");
  static final Option<IdScope> ID_SCOPE =
      defaulted(
          "message-id.scope",
          ValueType.choice(IdScope.class),
          "topic",
          "How far an id reaches that is neither a UUID nor a CloudEvents pair.");
  static final Option<String> ID_COPY_OF =
      optional(
          "message-id.copy-of",
          ValueType.topic(),
          "",
          "The topics read hold copies of this one's records (a migration, a mirror): ids count as"
              + " if they stood there.");

  // postgres
  static final Option<String> POSTGRES_URL =
      required(
          "postgres.url", ValueType.postgresUrl(true), "The database of the inbox, 14 or newer.");
  static final Option<String> POSTGRES_USER =
      optional("postgres.user", ValueType.text(), "the driver's default", "The database role.");
  static final Option<String> POSTGRES_PASSWORD =
      secret("postgres.password", ValueType.secret(), "The role's password.");
  static final Option<Integer> POSTGRES_POOL_SIZE =
      optional(
          "postgres.pool-size",
          ValueType.integer("connections", 3, 1_000),
          "consumer.concurrency + 4",
          "Connections in the pool: at least one for each batch that runs at once, and two more.");
  static final Option<Duration> POSTGRES_CONNECTION_TIMEOUT =
      defaulted(
          "postgres.connection-timeout",
          ValueType.duration(Duration.ofMillis(250), Duration.ofMinutes(1)),
          "5s",
          "How long one waits for a connection of the pool.");
  static final Option<Boolean> POSTGRES_MIGRATE =
      defaulted(
          "postgres.migrate",
          ValueType.flag(),
          "false",
          "Whether run creates or updates the schema at its start. Without it, run the command"
              + " migrate once, with a role that may create tables.");

  // redis
  static final Option<String> REDIS_URI =
      optional(
          "redis.uri",
          ValueType.redisUri(),
          "",
          "The Redis that guards effects; needed with effects.");
  static final Option<String> REDIS_USER =
      optional("redis.user", ValueType.text(), "Redis's default user", "The user of an ACL.");
  static final Option<String> REDIS_PASSWORD =
      secret("redis.password", ValueType.secret(), "The password of Redis.");
  static final Option<String> SENTINEL_USER =
      optional(
          "redis.sentinel-user",
          ValueType.text(),
          "the Sentinels' default user",
          "The user of the Sentinels' own ACL.");
  static final Option<String> SENTINEL_PASSWORD =
      secret(
          "redis.sentinel-password",
          ValueType.secret(),
          "The password of the Sentinels, with a redis-sentinel URI. Theirs alone: redis.password"
              + " is not shown to them.");
  static final Option<String> REDIS_TRUSTED =
      optional(
          "redis.trusted-certificates",
          ValueType.text("a PEM file"),
          "the JVM's",
          "The authorities that are trusted over TLS, with a rediss URI.");
  static final Option<String> REDIS_CERTIFICATE =
      optional(
          "redis.client-certificate",
          ValueType.text("a PEM file"),
          "",
          "A certificate of our own, for a server that asks for one.");
  static final Option<String> REDIS_KEY =
      optional(
          "redis.client-key",
          ValueType.text("a PEM file"),
          "",
          "The key of that certificate, in PKCS #8 and without a password.");
  static final Option<Duration> REDIS_COMMAND_TIMEOUT =
      defaulted(
          "redis.command-timeout",
          ValueType.duration(Duration.ofMillis(10), Duration.ofSeconds(60)),
          "2s",
          "How long one command may take. Leases of effects must be three times as long.");
  static final Option<List<String>> REDIS_ACCEPT =
      optional(
          "redis.accept",
          ValueType.texts("codes that doctor reports, such as redis.eviction"),
          "",
          "Findings about Redis that are known and taken: their errors become warnings.");

  // effects
  static final Option<String> EFFECT_CLASS =
      required(
          "effects[].class",
          ValueType.className(),
          "A class that implements io.idembox.effect.Effect.");
  static final Option<OnUnknown> EFFECT_ON_UNKNOWN =
      optional(
          "effects[].on-unknown",
          ValueType.choice(OnUnknown.class),
          "the effect's own policy",
          "What becomes of an attempt whose outcome is unknown. resolve needs a ResolvableEffect.");
  static final Option<Duration> EFFECT_RETENTION =
      optional(
          "effects[].retention",
          ValueType.duration(Duration.ofSeconds(1), Duration.ofDays(3653)),
          "the effect's own policy",
          "How long a finished effect is remembered. Costs memory: rate x retention x about 200"
              + " bytes.");
  static final Option<Duration> EFFECT_LEASE =
      optional(
          "effects[].lease",
          ValueType.duration(Duration.ofMillis(100), Duration.ofHours(1)),
          "the effect's own policy",
          "How long a holder that fell silent keeps the key; renewed while the effect runs.");
  static final Option<Duration> EFFECT_TIMEOUT =
      optional(
          "effects[].timeout",
          ValueType.duration(Duration.ofMillis(1), Duration.ofHours(24)),
          "the effect's own policy",
          "How long a caller waits for one attempt.");
  static final Option<Integer> EFFECT_MAX_ATTEMPTS =
      optional(
          "effects[].max-attempts",
          ValueType.integer("attempts", 1, 100),
          "the effect's own policy",
          "Attempts in a row before the effect is put off, the first included.");

  // subscriptions
  static final Option<List<String>> TOPICS =
      required("subscriptions[].topics", ValueType.topics(), "The topics that are read.");
  static final Option<String> HANDLER =
      optional(
          "subscriptions[].handler",
          ValueType.className(),
          "",
          "A class that implements io.idembox.runtime.InboxHandler or BatchInboxHandler and gets"
              + " every record; instead of types.");
  static final Option<Decoding> DECODER =
      optional(
          "subscriptions[].decoder",
          ValueType.choice(Decoding.class),
          "json, unless there is a deserializer",
          "How a value becomes an object.");
  static final Option<String> VALUE_CLASS =
      optional(
          "subscriptions[].value-class",
          ValueType.className(),
          "the type that the handler takes",
          "The class that JSON becomes.");
  static final Option<String> DESERIALIZER =
      optional(
          "subscriptions[].deserializer",
          ValueType.className(),
          "",
          "A Kafka Deserializer in place of a decoder, for instance of Avro; used by several"
              + " threads at once.");
  static final Option<EffectOrder> EFFECT_ORDER =
      defaulted(
          "subscriptions[].effects",
          ValueType.choice(EffectOrder.class),
          "unordered",
          "Whether effects after the commit run one after the other for each record key: ordered."
              + " One that is put off or held holds up the later ones of its key. Needs"
              + " InboxHandlers, and consumer.ordering partition or key.");
  static final Option<String> TYPE_FROM =
      optional(
          "subscriptions[].type-from",
          ValueType.text("header:NAME, cloud-events or json:POINTER, such as json:/type"),
          "",
          "Where the name of a record's type stands, when there are types. A type that is not"
              + " listed is recorded as ignored.");
  static final Option<String> TYPE_NAME =
      required(
          "subscriptions[].types[].name", ValueType.text(), "The name of the type in the record.");
  static final Option<String> TYPE_HANDLER =
      required(
          "subscriptions[].types[].handler",
          ValueType.className(),
          "As subscriptions[].handler, for this type.");
  static final Option<Decoding> TYPE_DECODER =
      optional(
          "subscriptions[].types[].decoder",
          ValueType.choice(Decoding.class),
          "json, unless there is a deserializer",
          "As subscriptions[].decoder, for this type.");
  static final Option<String> TYPE_VALUE_CLASS =
      optional(
          "subscriptions[].types[].value-class",
          ValueType.className(),
          "the type that the handler takes",
          "The class that JSON becomes.");
  static final Option<String> TYPE_DESERIALIZER =
      optional(
          "subscriptions[].types[].deserializer",
          ValueType.className(),
          "",
          "As subscriptions[].deserializer, for this type.");

  // plugins
  static final Option<String> PLUGINS_FOLDER =
      optional(
          "plugins.folder",
          ValueType.text("a folder"),
          "plugins, if there is such a folder",
          "Jars with handlers, effects and what they need. Looked through before the class path.");
  static final Option<String> PLUGINS_URL =
      optional(
          "plugins.data-source.url",
          ValueType.postgresUrl(false),
          "",
          "A database for handlers and effects that ask for a DataSource. Never the inbox's pool: a"
              + " handler that took a second connection from it could wait for itself.");
  static final Option<String> PLUGINS_USER =
      optional("plugins.data-source.user", ValueType.text(), "the driver's default", "Its role.");
  static final Option<String> PLUGINS_PASSWORD =
      secret("plugins.data-source.password", ValueType.secret(), "The role's password.");
  static final Option<Integer> PLUGINS_POOL_SIZE =
      defaulted(
          "plugins.data-source.pool-size",
          ValueType.integer("connections", 1, 1_000),
          "4",
          "Connections in its pool.");

  // inbox
  static final Option<Duration> INBOX_RETENTION =
      defaulted(
          "inbox.retention",
          ValueType.duration(Duration.ofHours(1), Duration.ofDays(3653)),
          "14d",
          "How long inbox rows are kept; at least as long as Kafka keeps the records. Copies that"
              + " are published again later are not recognised.");
  static final Option<Boolean> PRUNE =
      defaulted(
          "inbox.prune",
          ValueType.flag(),
          "true",
          "Whether the running consumer removes what is past its retention. Without it, inbox prune"
              + " does when somebody calls it.");
  static final Option<Duration> LETTER_RETENTION =
      defaulted(
          "inbox.closed-letter-retention",
          ValueType.duration(Duration.ofHours(1), Duration.ofDays(3653)),
          "30d",
          "How long dead letters are kept after they were closed. Open ones are kept.");

  // http
  static final Option<Boolean> HTTP_ENABLED =
      defaulted(
          "http.enabled",
          ValueType.flag(),
          "true",
          "Whether health, metrics and the API are served.");
  static final Option<String> HTTP_HOST =
      defaulted(
          "http.host",
          ValueType.text("an address of this machine"),
          "127.0.0.1",
          "Where HTTP listens. 0.0.0.0 opens it to the network: in a container, for the probes.");
  static final Option<Integer> HTTP_PORT =
      defaulted(
          "http.port", ValueType.integer("", 0, 65_535), "8080", "The port; 0 takes a free one.");
  static final Option<String> HTTP_TOKEN =
      secret(
          "http.token",
          ValueType.text(16, 1_000),
          "The token for /api, sent as 'Authorization: Bearer TOKEN'. Without one, /api is not"
              + " served; health and metrics never need it.");

  // logging
  static final Option<LogFormat> LOG_FORMAT =
      defaulted(
          "logging.format",
          ValueType.choice(LogFormat.class),
          "text",
          "How log lines look: text for people, json for collectors.");
  static final Option<LogLevel> LOG_LEVEL =
      defaulted(
          "logging.level",
          ValueType.choice(LogLevel.class),
          "info",
          "The least level that is logged.");

  // groups
  static final OptionGroup KAFKA = KafkaProperties.GROUP;
  static final OptionGroup HIKARI = PostgresProperties.POOL;
  static final OptionGroup DRIVER = PostgresProperties.DRIVER;
  static final OptionGroup LETTUCE = RedisProperties.GROUP;
  static final OptionGroup EFFECT_CONFIG =
      OptionGroup.open(
          "effects[].config", "Settings of the effect, for its constructor; names are its own.");
  static final OptionGroup HANDLER_CONFIG =
      OptionGroup.open(
          "subscriptions[].config",
          "Settings of the handler, for its constructor; names are its own.");
  static final OptionGroup TYPE_CONFIG =
      OptionGroup.open(
          "subscriptions[].types[].config", "As subscriptions[].config, for this type.");
  static final OptionGroup DESERIALIZER_PROPERTIES =
      OptionGroup.open(
          "subscriptions[].deserializer-properties",
          "Properties of the deserializer, such as schema.registry.url.");
  static final OptionGroup TYPE_DESERIALIZER_PROPERTIES =
      OptionGroup.open(
          "subscriptions[].types[].deserializer-properties",
          "As subscriptions[].deserializer-properties, for this type.");
  static final OptionGroup LOG_LEVELS =
      new OptionGroup(
          "logging.levels",
          java.util.Set.of(),
          java.util.Map.of(),
          (name, value) -> {
            try {
              ValueType.choice(LogLevel.class).parse(value);
              return null;
            } catch (IllegalArgumentException e) {
              return e.getMessage();
            }
          },
          java.util.Set.of(),
          "Levels of single loggers, such as io.idembox.runtime: debug.");

  /** In the order of the configuration page. */
  static final List<Option<?>> ALL =
      List.of(
          NAME,
          GROUP_ID,
          EFFECT_NAMESPACE,
          START,
          ORDERING,
          CONCURRENCY,
          BATCH_RECORDS,
          TRANSACTION_TARGET,
          MAX_ATTEMPTS,
          DEAD_LETTER_TOPIC,
          RETRY_BACKOFF,
          RETRY_BACKOFF_MAX,
          COMMIT_INTERVAL,
          DRAIN_BUDGET,
          SHUTDOWN_BUDGET,
          EFFECT_TIMEOUT_INSIDE,
          IDLE_TIMEOUT,
          EFFECT_CONCURRENCY,
          MAX_UNSETTLED_EFFECTS,
          EFFECT_ATTEMPTS,
          EFFECT_BACKOFF,
          EFFECT_BACKOFF_MAX,
          SWEEP_INTERVAL,
          ID_USE_HEADER,
          ID_HEADER,
          ID_CLOUD_EVENTS,
          ID_POINTER,
          ID_SCOPE,
          ID_COPY_OF,
          POSTGRES_URL,
          POSTGRES_USER,
          POSTGRES_PASSWORD,
          POSTGRES_POOL_SIZE,
          POSTGRES_CONNECTION_TIMEOUT,
          POSTGRES_MIGRATE,
          REDIS_URI,
          REDIS_USER,
          REDIS_PASSWORD,
          SENTINEL_USER,
          SENTINEL_PASSWORD,
          REDIS_TRUSTED,
          REDIS_CERTIFICATE,
          REDIS_KEY,
          REDIS_COMMAND_TIMEOUT,
          REDIS_ACCEPT,
          EFFECT_CLASS,
          EFFECT_ON_UNKNOWN,
          EFFECT_RETENTION,
          EFFECT_LEASE,
          EFFECT_TIMEOUT,
          EFFECT_MAX_ATTEMPTS,
          TOPICS,
          HANDLER,
          DECODER,
          VALUE_CLASS,
          DESERIALIZER,
          EFFECT_ORDER,
          TYPE_FROM,
          TYPE_NAME,
          TYPE_HANDLER,
          TYPE_DECODER,
          TYPE_VALUE_CLASS,
          TYPE_DESERIALIZER,
          PLUGINS_FOLDER,
          PLUGINS_URL,
          PLUGINS_USER,
          PLUGINS_PASSWORD,
          PLUGINS_POOL_SIZE,
          INBOX_RETENTION,
          LETTER_RETENTION,
          PRUNE,
          HTTP_ENABLED,
          HTTP_HOST,
          HTTP_PORT,
          HTTP_TOKEN,
          LOG_FORMAT,
          LOG_LEVEL);

  static final List<OptionGroup> GROUPS =
      List.of(
          KAFKA,
          HIKARI,
          DRIVER,
          LETTUCE,
          EFFECT_CONFIG,
          HANDLER_CONFIG,
          TYPE_CONFIG,
          DESERIALIZER_PROPERTIES,
          TYPE_DESERIALIZER_PROPERTIES,
          LOG_LEVELS);

  /** Sections in the order of the page, with what stands in them. */
  static final List<Section> SECTIONS =
      List.of(
          new Section("consumer", "The consumer and its pace."),
          new Section("kafka", "The brokers, and any property of Kafka's consumer."),
          new Section("message-id", "How a message's identity is found."),
          new Section("postgres", "The database of the inbox."),
          new Section("redis", "The guard of effects."),
          new Section("effects", "A list: the effects that handlers may ask for."),
          new Section("subscriptions", "A list: topics, their types and their handlers."),
          new Section("plugins", "Where handlers and effects come from."),
          new Section("inbox", "How long what was done is remembered."),
          new Section("http", "Health, metrics and the API."),
          new Section("logging", "What is logged, and how it looks."));

  private Options() {}

  /** A part of the file. */
  record Section(String name, String meaning) {}

  enum Start {
    EARLIEST,
    LATEST
  }

  /** Whether effects of one record key wait for each other. */
  enum EffectOrder {
    /** Those of different effect keys run beside each other. */
    UNORDERED,
    /** One after the other. */
    ORDERED
  }

  enum Decoding {
    JSON,
    STRING,
    BYTES
  }

  enum LogFormat {
    TEXT,
    JSON
  }

  enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
  }
}
