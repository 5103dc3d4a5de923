package io.idembox.runtime;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectStore;
import io.idembox.inbox.ClusterChange;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.PrunePolicy;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an {@link InboxConsumer}. Not thread-safe; opens nothing. {@code name}, {@code
 * kafka}, {@code dataSource} and one {@code subscribe} are required, and {@code redis} as soon as
 * there are effects.
 */
public final class InboxConsumerBuilder {
  private static final int MOST_AT_ONCE = 256;
  private static final Duration LONGEST_TARGET = Duration.ofSeconds(10);

  private @Nullable String name;
  private @Nullable String groupId;
  private @Nullable String effectNamespace;
  private final Map<String, Object> kafka = new HashMap<>();
  private @Nullable DataSource dataSource;
  private boolean migrate;
  private @Nullable String redisUri;
  private @Nullable EffectStore effectStore;
  private final List<Effect<?, ?>> effects = new ArrayList<>();
  private final List<Subscription> subscriptions = new ArrayList<>();
  private MessageIdResolver messageIds = MessageIdResolver.builder().build();
  private StartPosition start = StartPosition.EARLIEST;
  private boolean adoptOffsets;
  private boolean acceptResolverChange;
  private @Nullable ClusterChange adoptCluster;
  private Ordering ordering = LaneLimits.DEFAULTS.ordering();
  private int concurrency = LaneLimits.DEFAULTS.concurrency();
  private int batchRecords = LaneLimits.DEFAULTS.batchRecords();
  private Backoff recordBackoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30));
  private int maxAttempts = 10;
  private FailureJudge failureJudge = failure -> FailureJudge.Verdict.UNDECIDED;
  private long maxUnsettledEffects = 100_000;
  private @Nullable String deadLetterTopic;
  private int effectConcurrency = EffectGuard.Builder.DEFAULT_CONCURRENCY;
  private int effectAttempts = Deferral.DEFAULT.mostAttempts();
  private Backoff effectBackoff = Deferral.DEFAULT.pauses();
  private Duration transactionTarget = LaneLimits.DEFAULTS.transactionTarget();
  private Duration effectTimeout = JdbcInbox.DEFAULT_EFFECT_TIMEOUT;
  private @Nullable Duration idleInTransactionTimeout;
  private Duration commitInterval = Budgets.DEFAULTS.commitInterval();
  private @Nullable Duration drainBudget;
  private Duration shutdownBudget = Budgets.DEFAULTS.shutdown();
  private Duration sweepInterval = Duration.ofSeconds(2);
  private @Nullable PrunePolicy prunePolicy = PrunePolicy.DEFAULT;
  private RunListener listener = report -> {};
  private MeterRegistry meters = new CompositeMeterRegistry();
  private OpenTelemetry telemetry = OpenTelemetry.noop();

  InboxConsumerBuilder() {}

  /**
   * The name under which the inbox remembers what was done. Required. Another name is another
   * consumer: it handles everything anew.
   */
  public InboxConsumerBuilder name(String name) {
    this.name = notBlank("name", name);
    return this;
  }

  /** The Kafka consumer group. Default: the name. */
  public InboxConsumerBuilder groupId(String groupId) {
    this.groupId = notBlank("groupId", groupId);
    return this;
  }

  /**
   * The namespace of this consumer's effect keys, for services that must share their effects.
   * Default: the consumer's name and the id of the database's installation, so that two
   * environments on one Redis never suppress each other's effects. Counts at the first registration
   * of the name only.
   */
  public InboxConsumerBuilder effectNamespace(String namespace) {
    this.effectNamespace = notBlank("effectNamespace", namespace);
    return this;
  }

  /**
   * Properties of the Kafka consumer; {@code bootstrap.servers} is required. Those that would break
   * a promise ({@code enable.auto.commit}, {@code auto.offset.reset}, {@code isolation.level}, …)
   * are refused by {@link #build()}.
   */
  public InboxConsumerBuilder kafka(Map<String, ?> properties) {
    kafka.putAll(properties);
    return this;
  }

  /** As {@link #kafka(Map)}, from a properties file. */
  public InboxConsumerBuilder kafka(Properties properties) {
    properties.stringPropertyNames().forEach(key -> kafka.put(key, properties.getProperty(key)));
    return this;
  }

  /**
   * Connections to PostgreSQL, 14 or newer. Required. A pool needs at least one connection for each
   * of the batches that run at once ({@link #concurrency}) and two more. The consumer does not
   * close it.
   */
  public InboxConsumerBuilder dataSource(DataSource dataSource) {
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    return this;
  }

  /** Creates or updates the schema at start. Default: it is only checked. */
  public InboxConsumerBuilder migrateAtStart() {
    this.migrate = true;
    return this;
  }

  /** The Redis that guards the effects, as a URI. The consumer opens and closes the connection. */
  public InboxConsumerBuilder redis(String uri) {
    this.redisUri = notBlank("redis", uri);
    return this;
  }

  /** A store for the effect guard in place of {@link #redis}. The consumer does not close it. */
  public InboxConsumerBuilder effectStore(EffectStore store) {
    this.effectStore = Objects.requireNonNull(store, "store");
    return this;
  }

  /** The effects that handlers may ask for. */
  public InboxConsumerBuilder effects(Effect<?, ?>... effects) {
    this.effects.addAll(List.of(effects));
    return this;
  }

  /** Topics, and the handlers of their records. At least one is required. */
  public InboxConsumerBuilder subscribe(Subscription subscription) {
    subscriptions.add(Objects.requireNonNull(subscription, "subscription"));
    return this;
  }

  /**
   * How a message's identity is found. Default: the header {@code message-id}, then CloudEvents.
   */
  public InboxConsumerBuilder messageIds(MessageIdResolver resolver) {
    this.messageIds = Objects.requireNonNull(resolver, "resolver");
    return this;
  }

  /**
   * Where reading starts at the very first start, when neither Kafka nor the database knows an
   * offset. Default: earliest, which loses nothing.
   */
  public InboxConsumerBuilder start(StartPosition start) {
    this.start = Objects.requireNonNull(start, "start");
    return this;
  }

  /**
   * Takes over offsets that this group has committed while it ran on another database. Without it
   * such a group is refused, since this database does not know what it has done. What lies below
   * them counts as jumped.
   */
  public InboxConsumerBuilder adoptOffsets() {
    this.adoptOffsets = true;
    return this;
  }

  /**
   * Takes over other rules for message ids ({@link #messageIds}) than this consumer was registered
   * with. Without it such a start is refused: messages may get other identities than before, and
   * then a copy that comes again is handled again. For one start; the new rules are registered with
   * it.
   */
  public InboxConsumerBuilder acceptResolverChange() {
    this.acceptResolverChange = true;
    return this;
  }

  /**
   * Says why the database meets another Kafka cluster than the one it was used with; without it
   * such a start is refused. For one start, of one member while no other runs: the database belongs
   * to the new cluster from then on. Without effect where it does already.
   */
  public InboxConsumerBuilder adoptCluster(ClusterChange change) {
    this.adoptCluster = Objects.requireNonNull(change, "change");
    return this;
  }

  /** Which records wait for each other. Default: those of a partition. */
  public InboxConsumerBuilder ordering(Ordering ordering) {
    this.ordering = Objects.requireNonNull(ordering, "ordering");
    return this;
  }

  /**
   * How many batches run at the same time, 1 to 256. Default 4. Each needs a thread and, while it
   * runs, a database connection. Under {@link Ordering#PARTITION} no more than there are partitions
   * are of use.
   */
  public InboxConsumerBuilder concurrency(int batches) {
    if (batches < 1 || batches > MOST_AT_ONCE) {
      throw new IllegalArgumentException(
          "concurrency must be 1 to " + MOST_AT_ONCE + ", not " + batches);
    }
    this.concurrency = batches;
    return this;
  }

  /**
   * The most records in one transaction, 1 to 10,000. Default 1,000. More save round trips; a
   * failed record makes its batch run again in parts.
   */
  public InboxConsumerBuilder batchRecords(int records) {
    if (records < 1 || records > 10_000) {
      throw new IllegalArgumentException("batchRecords must be 1 to 10,000, not " + records);
    }
    this.batchRecords = records;
    return this;
  }

  /**
   * How long a transaction should take, 1 ms to 10 s. Default 250 ms. Batches begin with one record
   * and follow the handler's pace; one that meets slow records commits what it has handled after
   * four times as long. Longer saves round trips; shorter gives way sooner to a rebalance, and runs
   * fewer records again after a failure. A list for a {@link BatchInboxHandler} is never cut short.
   */
  public InboxConsumerBuilder transactionTarget(Duration target) {
    if (target.toMillis() < 1 || target.compareTo(LONGEST_TARGET) > 0) {
      throw new IllegalArgumentException(
          "transactionTarget must be 1 ms to " + LONGEST_TARGET + ", not " + target);
    }
    this.transactionTarget = target;
    return this;
  }

  /**
   * The longest that an effect may take inside of a transaction ({@code once}), 1 ms to 1 h.
   * Default 30 s. An effect whose policy allows it more is for {@code afterCommit} only.
   */
  public InboxConsumerBuilder effectTimeout(Duration timeout) {
    this.effectTimeout = positive("effectTimeout", timeout);
    return this;
  }

  /**
   * When PostgreSQL ends a transaction in which no statement comes, 1 ms to 2 h, and longer than
   * {@link #effectTimeout}. Default twice that, 60 s. It bounds how long one record's handler may
   * take between two statements; too long, and a frozen process keeps its locks for as long. Set
   * for the inbox's transactions only.
   */
  public InboxConsumerBuilder idleInTransactionTimeout(Duration timeout) {
    this.idleInTransactionTimeout = positive("idleInTransactionTimeout", timeout);
    return this;
  }

  /**
   * How often a failing record is handled, the first run included, before it becomes a dead letter
   * and its partition goes on; 1 or more, counted over restarts. Default 10: with the default
   * pauses, about two minutes. {@link Integer#MAX_VALUE} never gives up. Outages and other
   * transactions in the way use up none.
   */
  public InboxConsumerBuilder maxAttempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException("maxAttempts must be 1 or more, not " + attempts);
    }
    this.maxAttempts = attempts;
    return this;
  }

  /**
   * Says of handlers' failures whether another attempt can help. Default: all but a {@link
   * PermanentFailureException}, a rejected effect and a request that does not fit its key may.
   */
  public InboxConsumerBuilder failureJudge(FailureJudge judge) {
    this.failureJudge = Objects.requireNonNull(judge, "judge");
    return this;
  }

  /**
   * A topic to which dead letters are copied, for tools that look there. Default: none; the rows in
   * the database are the letters, and offsets wait for them alone. What cannot be sent is sent
   * later, so the topic may be missing or away. A crash or a second member may send a letter twice.
   *
   * <p>A copy has the record's key, value and headers, and these headers as UTF-8 text: {@code
   * idembox-letter-id} (the same for each copy of a letter), {@code idembox-consumer}, {@code
   * idembox-message-id}, {@code idembox-topic}, {@code idembox-partition}, {@code idembox-offset},
   * {@code idembox-timestamp} (ISO 8601, where the record had one), {@code idembox-attempts},
   * {@code idembox-reason}, {@code idembox-cause-class} and, where there is one, {@code
   * idembox-cause-message}. The partition is the producer's choice. A copy that is sent back to the
   * record's topic retries its letter.
   */
  public InboxConsumerBuilder deadLetterTopic(String topic) {
    this.deadLetterTopic = notBlank("deadLetterTopic", topic);
    return this;
  }

  /**
   * The most effects that the journal may owe, of all members together, 1 or more. Default 100,000.
   * Above it no new records are handled until some are settled, so that a provider's long outage
   * shows up as lag, and not as a journal without end. Looked at every few seconds, so it is passed
   * by a little.
   */
  public InboxConsumerBuilder maxUnsettledEffects(long effects) {
    if (effects < 1) {
      throw new IllegalArgumentException("maxUnsettledEffects must be 1 or more, not " + effects);
    }
    this.maxUnsettledEffects = effects;
    return this;
  }

  /**
   * How many effects run at the same time, all batches together, 1 to 10,000. Default 32. Effects
   * of one key never do.
   */
  public InboxConsumerBuilder effectConcurrency(int effects) {
    if (effects < 1 || effects > 10_000) {
      throw new IllegalArgumentException("effectConcurrency must be 1 to 10,000, not " + effects);
    }
    this.effectConcurrency = effects;
    return this;
  }

  /**
   * How often an {@code afterCommit} effect that did not happen is begun, the first time included,
   * before it is given up ({@code FAILED}); 1 or more, counted over restarts. Default 50: with the
   * default pauses, about seven hours. One whose outcome is unknown is held for a person then. Each
   * time the guard may run it several times, as its policy says. Outages of the guard's store use
   * up none.
   */
  public InboxConsumerBuilder effectAttempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException("effectAttempts must be 1 or more, not " + attempts);
    }
    this.effectAttempts = attempts;
    return this;
  }

  /**
   * The pauses before an {@code afterCommit} effect that did not succeed is begun again, doubling
   * from the first to the longest. Default 1 s to 10 min. Short ones press a provider that is away;
   * long ones let effects wait when it is back.
   *
   * @throws IllegalArgumentException unless {@code 0 < first <= most}
   */
  public InboxConsumerBuilder effectBackoff(Duration first, Duration most) {
    this.effectBackoff = new Backoff(first, most);
    return this;
  }

  /**
   * The pauses between the attempts of one failing record, doubling from the first to the longest.
   * Default 200 ms to 30 s.
   *
   * @throws IllegalArgumentException unless {@code 0 < first <= most}
   */
  public InboxConsumerBuilder retryBackoff(Duration first, Duration most) {
    this.recordBackoff = new Backoff(first, most);
    return this;
  }

  /**
   * The least time between two offset commits. Default 250 ms. What was not committed is skipped by
   * the inbox when it comes again; longer means more of that after a crash. On revocation and
   * shutdown offsets are committed at once.
   */
  public InboxConsumerBuilder commitInterval(Duration interval) {
    this.commitInterval = positive("commitInterval", interval);
    return this;
  }

  /**
   * How long a partition that goes to another member is kept for its running batch to finish.
   * Default 10 s, or a third of {@code max.poll.interval.ms} if that is shorter. The record that
   * runs is finished, and none begins. The whole group waits as long, so it must be below {@code
   * max.poll.interval.ms}, or Kafka takes the partitions away meanwhile.
   */
  public InboxConsumerBuilder drainBudget(Duration budget) {
    this.drainBudget = positive("drainBudget", budget);
    return this;
  }

  /**
   * How long {@code close()} waits for what runs: batches, effects and the last offset commit.
   * Default 20 s; connections take up to 5 s more to close, together below an orchestrator's usual
   * grace of 30.
   */
  public InboxConsumerBuilder shutdownBudget(Duration budget) {
    this.shutdownBudget = positive("shutdownBudget", budget);
    return this;
  }

  /** How often effects that were put off or left behind are looked for. Default 2 s. */
  public InboxConsumerBuilder sweepInterval(Duration interval) {
    this.sweepInterval = positive("sweepInterval", interval);
    return this;
  }

  /**
   * How long the inbox remembers messages whose offsets are known to be done, for copies that are
   * published again; at least as long as Kafka keeps the topics' records. Default 14 days, counted
   * from the moment up to which the slowest partition was read. Longer costs about 130 bytes a
   * message; shorter means that a late copy is handled again. Records that Kafka delivers again are
   * recognised for ever.
   */
  public InboxConsumerBuilder retention(Duration retention) {
    PrunePolicy policy = prunePolicy == null ? PrunePolicy.DEFAULT : prunePolicy;
    this.prunePolicy = policy.withInboxRetention(retention);
    return this;
  }

  /** What is pruned, and at which pace. Default {@link PrunePolicy#DEFAULT}. */
  public InboxConsumerBuilder pruning(PrunePolicy policy) {
    this.prunePolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /** This member does not prune. Default: it does, in turns with the others. */
  public InboxConsumerBuilder withoutPruning() {
    this.prunePolicy = null;
    return this;
  }

  /** Is told of each committed batch. Default: nobody is. */
  public InboxConsumerBuilder listener(RunListener listener) {
    this.listener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /** Where the consumer counts. Default: a registry of its own that keeps nothing. */
  public InboxConsumerBuilder meters(MeterRegistry registry) {
    this.meters = Objects.requireNonNull(registry, "registry");
    return this;
  }

  /**
   * Where spans go: one for each message that a handler processes, linked to its producer's context
   * by the header {@code traceparent}. Default: nowhere. Lists for a {@link BatchInboxHandler} get
   * none.
   */
  public InboxConsumerBuilder openTelemetry(OpenTelemetry telemetry) {
    this.telemetry = Objects.requireNonNull(telemetry, "telemetry");
    return this;
  }

  /**
   * Checks the settings and every relation between them. Opens nothing.
   *
   * @throws IllegalArgumentException naming the setting, the rule and the remedy
   */
  public InboxConsumer build() {
    String consumer = required("name", name);
    String group = groupId == null ? consumer : groupId;
    if (redisUri != null && effectStore != null) {
      throw new IllegalArgumentException("Both redis and effectStore are set; leave one out");
    }
    if (!effects.isEmpty() && redisUri == null && effectStore == null) {
      throw new IllegalArgumentException(
          "There are effects but no guard for them: set redis(\"redis://host:6379\")");
    }
    Routes routes = new Routes(subscriptions);
    if (deadLetterTopic != null && routes.topics().contains(deadLetterTopic)) {
      throw new IllegalArgumentException(
          "deadLetterTopic " + deadLetterTopic + " is subscribed to: its letters would come again");
    }
    if (ordering == Ordering.NONE && routes.runEffectsInTurn()) {
      throw new IllegalArgumentException(
          "A subscription has orderedEffects(), but ordering is NONE, under which records of one"
              + " key are handled in any order: set ordering(KEY) or ordering(PARTITION)");
    }
    LaneLimits limits = LaneLimits.DEFAULTS;
    KafkaSettings kafkaSettings = new KafkaSettings(kafka, group);
    Duration drain = checkedDrain(kafkaSettings.maxPollInterval());
    ConsumerSettings settings =
        new ConsumerSettings(
            consumer,
            group,
            effectNamespace,
            kafkaSettings,
            required("dataSource", dataSource),
            migrate,
            redisUri,
            effectStore,
            EffectCatalog.of(effects.toArray(Effect<?, ?>[]::new)),
            routes,
            messageIds,
            start,
            adoptOffsets,
            acceptResolverChange,
            adoptCluster,
            new LaneLimits(
                ordering,
                concurrency,
                Math.max(limits.queuedRecords(), 2 * batchRecords),
                limits.queuedBytes(),
                batchRecords,
                limits.batchBytes(),
                transactionTarget,
                kafkaSettings.maxPollRecords(),
                limits.firstBatch()),
            timeouts(drain),
            new Budgets(
                commitInterval,
                Budgets.DEFAULTS.commit(),
                drain,
                Budgets.DEFAULTS.historyInterval(),
                Budgets.DEFAULTS.stallAfter(),
                shutdownBudget),
            new Retries(
                maxAttempts,
                recordBackoff,
                new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5)),
                new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5))),
            failureJudge,
            new EffectLimits(
                effectConcurrency,
                maxUnsettledEffects,
                new Deferral(effectAttempts, effectBackoff)),
            deadLetterTopic,
            sweepInterval,
            prunePolicy,
            listener,
            meters,
            telemetry);
    // Opens nothing, and checks the relations between the inbox's time-outs.
    settings.newInbox();
    return new InboxConsumer(settings);
  }

  private TransactionTimeouts timeouts(Duration drain) {
    Duration usual = JdbcInbox.DEFAULT_LOCK_TIMEOUT;
    Duration ofDrain = drain.dividedBy(2);
    return new TransactionTimeouts(
        transactionTarget,
        // A claim that waits for another member must not outlast the time that a revocation has.
        usual.compareTo(ofDrain) < 0 ? usual : ofDrain,
        effectTimeout,
        idleInTransactionTimeout == null
            ? effectTimeout.multipliedBy(2)
            : idleInTransactionTimeout);
  }

  private Duration checkedDrain(Duration maxPollInterval) {
    Duration usual = Budgets.DEFAULTS.drain();
    if (drainBudget == null) {
      Duration third = maxPollInterval.dividedBy(3);
      return usual.compareTo(third) < 0 ? usual : third;
    }
    if (drainBudget.compareTo(maxPollInterval) >= 0) {
      throw new IllegalArgumentException(
          "drainBudget must be shorter than max.poll.interval.ms, "
              + maxPollInterval.toMillis()
              + " ms, but is "
              + drainBudget.toMillis()
              + " ms: Kafka would take the partitions away while their batches finish");
    }
    return drainBudget;
  }

  private static <T> T required(String setting, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException("A consumer needs " + setting + "(...); it is not set");
    }
    return value;
  }

  private static String notBlank(String setting, String value) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(setting + " must not be blank");
    }
    return value;
  }

  private static Duration positive(String setting, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(setting + " must be longer than zero, not " + value);
    }
    return value;
  }
}
