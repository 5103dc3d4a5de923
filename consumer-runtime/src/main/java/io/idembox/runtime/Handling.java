package io.idembox.runtime;

import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectMetrics;
import io.idembox.effect.JsonEffectCodec;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.RegisteredConsumer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What turns records into settled work, whoever reads them: a live member or a replay. The inbox,
 * the workers, the effects that handlers ask for, and the threads that keep these going.
 * Thread-safe.
 */
final class Handling {
  private static final Logger log = LoggerFactory.getLogger(Handling.class);
  private static final int MOST_NAMED = 5;
  // For an effect that still runs when the shutdown budget is over: its lease goes on a little.
  private static final Duration GUARD_MARGIN = Duration.ofSeconds(3);

  private final ConsumerInbox inbox;
  private final @Nullable EffectGuard guard;
  private final ConsumerMetrics metrics;
  private final JournalLeases leases;
  private final EffectHealth effectHealth;
  private final EffectRunner effects;
  private final Sweeper sweeper;
  private final LetterRetries letters;
  private final EffectsBacklog backlog;
  private final LanePool pool;

  private Handling(
      String name,
      ConsumerSettings settings,
      ConsumerInbox inbox,
      @Nullable EffectGuard guard,
      RunListener listener) {
    this.inbox = inbox;
    this.guard = guard;
    this.metrics = new ConsumerMetrics(settings.meters(), settings.name());
    this.leases = new JournalLeases(name, inbox.journal(), settings.journalLease());
    this.effectHealth = new EffectHealth(EffectHealth.PAUSES);
    this.effects =
        new EffectRunner(
            inbox.journal(),
            settings.effects(),
            guard,
            new JsonEffectCodec(),
            leases,
            effectHealth,
            settings.effectLimits().deferral());
    this.sweeper = new Sweeper(name, effects, settings.sweepInterval());
    FailureClassifier classifier = new FailureClassifier(settings.failureJudge());
    HandlerHealth health = new HandlerHealth(name, settings.retries().breaker());
    ProcessSpans spans = new ProcessSpans(settings.telemetry(), settings.groupId());
    this.letters =
        new LetterRetries(
            inbox, settings.messageIds(), settings.routes(), effects, spans, classifier);
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
                letters,
                health),
            new FailurePolicy(classifier, settings.retries(), records, health, metrics),
            new Brakes(health, backlog::unsettled, settings.effectLimits().mostUnsettled()));
  }

  /**
   * Puts everything together; starts no thread but the guard's own. Nothing stays open when it
   * throws.
   *
   * @param threads what the threads' names begin with
   * @param counting is told what the guard does
   */
  static Handling assemble(
      String threads,
      ConsumerSettings settings,
      Servers servers,
      RegisteredConsumer registered,
      RunListener listener,
      EffectMetrics counting) {
    EffectGuard guard =
        servers.effectStore() == null
            ? null
            : EffectGuard.builder(servers.effectStore())
                .namespace(registered.namespace())
                .closeTimeout(GUARD_MARGIN)
                .concurrency(settings.effectLimits().concurrency())
                .metrics(counting)
                .build();
    try {
      ConsumerInbox inbox = servers.inbox().open(registered, settings.effects(), guard);
      return new Handling(threads, settings, inbox, guard, listener);
    } catch (RuntimeException e) {
      if (guard != null) {
        guard.close();
      }
      throw e;
    }
  }

  /** Keeps the leases of what runs here, and counts what the journal owes. */
  void start() {
    leases.start();
    backlog.start();
  }

  /**
   * Takes effects that are due and belong to nobody, as each live member does. A replay does not:
   * it reports what its own records came to, and a dry run performs nothing.
   */
  void sweep() {
    sweeper.start();
  }

  ConsumerInbox inbox() {
    return inbox;
  }

  ConsumerMetrics metrics() {
    return metrics;
  }

  LetterRetries letters() {
    return letters;
  }

  LanePool pool() {
    return pool;
  }

  Set<String> slowedEffects() {
    return effectHealth.slowed();
  }

  /** Begins no further effect; those that run may end. */
  void stopEffects() {
    effects.stop();
  }

  /** Ends everything, in the order in which one needs the other. */
  void close(Deadline deadline) {
    effects.stop();
    sweeper.close(deadline.left());
    backlog.close(deadline.left());
    pool.close();
    if (guard != null) {
      guard.close();
    }
    List<EffectKey> cutOff = leases.running();
    if (!cutOff.isEmpty()) {
      log.warn(
          "{} effects did not end within the shutdown budget; their policies decide when they are"
              + " taken up again: {}",
          cutOff.size(),
          cutOff.subList(0, Math.min(cutOff.size(), MOST_NAMED)));
    }
    leases.close();
  }
}
