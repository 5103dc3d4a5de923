package io.idembox.runtime;

import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectMetrics;
import io.idembox.effect.EffectStoreException;
import io.idembox.effect.JsonEffectCodec;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.RegisteredConsumer;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What works on a replay's records: the consumer's own lanes, without its group. */
final class ReplayLanes implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);

  private final Servers servers;
  private final ConsumerInbox inbox;
  private final @Nullable EffectGuard guard;
  private final JournalLeases leases;
  private final EffectRunner effects;
  private final EffectsBacklog backlog;
  private final LanePool pool;
  private final Map<String, UUID> topicIds;
  private final Counted counted;

  private ReplayLanes(ConsumerSettings settings, Servers servers, RunListener listener) {
    this.servers = servers;
    RegisteredConsumer registered =
        servers
            .inbox()
            .register(
                new ConsumerRegistration(
                    settings.name(),
                    settings.groupId(),
                    settings.effectNamespace(),
                    settings.messageIds().fingerprint()));
    this.counted = new Counted();
    this.guard =
        servers.effectStore() == null
            ? null
            : EffectGuard.builder(servers.effectStore())
                .namespace(registered.namespace())
                .closeTimeout(CLOSE_LIMIT)
                .concurrency(settings.effectLimits().concurrency())
                .metrics(counted)
                .build();
    this.inbox = servers.inbox().open(registered, settings.effects(), guard);
    String name = settings.name() + "-replay";
    ConsumerMetrics metrics = new ConsumerMetrics(settings.meters(), settings.name());
    this.leases = new JournalLeases(name, inbox.journal(), settings.journalLease());
    this.effects =
        new EffectRunner(
            inbox.journal(),
            settings.effects(),
            guard,
            new JsonEffectCodec(),
            leases,
            new EffectHealth(EffectHealth.PAUSES));
    FailureClassifier classifier = new FailureClassifier(settings.failureJudge());
    HandlerHealth health = new HandlerHealth(name, settings.retries().breaker());
    ProcessSpans spans = new ProcessSpans(settings.telemetry(), settings.groupId());
    FailedRecords records =
        new FailedRecords(inbox, settings.messageIds(), settings.retries().mostAttempts());
    this.backlog = new EffectsBacklog(name, inbox.journal());
    this.pool =
        new LanePool(
            name,
            settings.laneLimits().concurrency(),
            new BatchRunner(
                inbox,
                settings.messageIds(),
                settings.routes(),
                effects,
                listener,
                metrics,
                spans,
                settings.timeouts(),
                records,
                new LetterRetries(
                    inbox, settings.messageIds(), settings.routes(), effects, spans, classifier),
                health),
            new FailurePolicy(classifier, settings.retries(), records, health, metrics),
            new Brakes(health, backlog::unsettled, settings.effectLimits().mostUnsettled()));
    this.topicIds = servers.topicIds().byName();
    leases.start();
    backlog.start();
  }

  /**
   * Checks the servers and starts the threads.
   *
   * @throws StartRefusedException if a server cannot be used
   */
  static ReplayLanes open(ConsumerSettings settings, RunListener listener) {
    Servers servers = Servers.check(settings);
    try {
      return new ReplayLanes(settings, servers, listener);
    } catch (RuntimeException e) {
      servers.close();
      throw new StartRefusedException(
          "The replay of consumer " + settings.name() + " does not start: " + Causes.summary(e), e);
    }
  }

  ConsumerInbox inbox() {
    return inbox;
  }

  /** The id of a subscribed topic. */
  UUID topicId(String topic) {
    UUID id = topicIds.get(topic);
    if (id == null) {
      throw new IllegalArgumentException("A replay reads subscribed topics only, not " + topic);
    }
    return id;
  }

  void wake(PartitionWork work) {
    pool.wake(work);
  }

  long effectsPerformed() {
    return counted.performed.sum();
  }

  long effectsReplayed() {
    return counted.replayed.sum();
  }

  /** In the order in which one needs the other. */
  @Override
  public void close() {
    effects.stop();
    backlog.close(CLOSE_LIMIT);
    pool.close();
    if (guard != null) {
      guard.close();
    }
    leases.close();
    servers.close();
  }

  /** What the guard did for this replay. */
  private static final class Counted implements EffectMetrics {
    private final LongAdder performed = new LongAdder();
    private final LongAdder replayed = new LongAdder();

    @Override
    public void count(String effect, Event event) {
      if (event == Event.PERFORMED) {
        performed.increment();
      } else if (event == Event.REPLAYED) {
        replayed.increment();
      }
    }

    @Override
    public void time(String effect, Timing timing, Duration elapsed) {}

    @Override
    public void storeFailed(EffectStoreException.Kind kind) {}
  }
}
