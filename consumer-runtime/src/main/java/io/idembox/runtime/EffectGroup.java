package io.idembox.runtime;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectCall;
import io.idembox.effect.EffectCodec;
import io.idembox.effect.EffectGuard;
import io.idembox.effect.EffectOutcome;
import io.idembox.effect.OnUnknown;
import io.idembox.effect.Receipt;
import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Journal entries of one effect: their requests decoded, performed, and their outcomes named. */
final class EffectGroup<Q, R> {
  private static final Logger log = LoggerFactory.getLogger(EffectGroup.class);
  private static final Duration GUARD_AWAY = Duration.ofSeconds(2);
  private static final Duration MOMENT = Duration.ofMillis(100);

  private final Effect<Q, R> effect;
  private final EffectGuard guard;
  private final EffectCodec codec;
  private final Deferral deferral;

  EffectGroup(Effect<Q, R> effect, EffectGuard guard, EffectCodec codec, Deferral deferral) {
    this.effect = effect;
    this.guard = guard;
    this.codec = codec;
    this.deferral = deferral;
  }

  /** Whether a mark that a crash leaves behind has to be asked about, by people or the provider. */
  boolean marksHaveConsequences() {
    return effect.policy().onUnknown() != OnUnknown.RETRY;
  }

  /** Performs the entries and says what the journal is to be told about each. */
  List<Settlement> perform(List<JournalEntry> entries) {
    List<Settlement> settlements = new ArrayList<>(entries.size());
    List<JournalEntry> callable = new ArrayList<>(entries.size());
    List<EffectCall<Q>> calls = new ArrayList<>(entries.size());
    for (JournalEntry entry : entries) {
      Optional<EffectCall<Q>> call = call(entry, settlements);
      if (call.isPresent()) {
        callable.add(entry);
        calls.add(call.get());
      }
    }
    List<EffectOutcome<R>> outcomes = guard.tryOnceAll(effect, calls);
    for (int i = 0; i < outcomes.size(); i++) {
      settlements.add(settlement(callable.get(i), outcomes.get(i)));
    }
    logInBulk(outcomes);
    return settlements;
  }

  private Optional<EffectCall<Q>> call(JournalEntry entry, List<Settlement> settlements) {
    try {
      @Nullable Q request = codec.decode(entry.request(), effect.name().requestType());
      if (request == null) {
        throw new IllegalArgumentException("the request is null");
      }
      return Optional.of(
          new EffectCall<>(entry.key(), request, entry.attempt(), entry.earlierAttemptUnknown()));
    } catch (Exception e) {
      String reason =
          "the stored request of effect "
              + entry.effect()
              + " cannot be decoded to "
              + effect.name().requestType().getName()
              + ": "
              + Causes.summary(e);
      log.error("{}: held, {}", entry.key(), reason);
      settlements.add(Settlement.held(entry, reason));
      return Optional.empty();
    }
  }

  private Settlement settlement(JournalEntry entry, EffectOutcome<R> outcome) {
    cause(outcome).ifPresent(cause -> OutOfMemory.endsProcess(cause, entry.key().toString()));
    return switch (outcome.kind()) {
      case PERFORMED -> done(entry, ((EffectOutcome.Performed<R>) outcome).receipt());
      case REPLAYED -> done(entry, ((EffectOutcome.Replayed<R>) outcome).receipt());
      case REJECTED -> Settlement.rejected(entry, ((EffectOutcome.Rejected<R>) outcome).reason());
      case NOT_PERFORMED -> putOff(entry, ((EffectOutcome.NotPerformed<R>) outcome).cause());
      case IN_PROGRESS ->
          Settlement.postponed(
              entry,
              ((EffectOutcome.InProgress<R>) outcome).leaseRemaining().plus(MOMENT),
              "in progress elsewhere");
      case IN_DOUBT -> doubt(entry, (EffectOutcome.InDoubt<R>) outcome);
      case MISMATCH -> {
        String reason = "the key was used before with another request";
        log.error("{}: held, {}", entry.key(), reason);
        yield Settlement.held(entry, reason);
      }
      case UNAVAILABLE -> {
        String reason = Causes.summary(((EffectOutcome.Unavailable<R>) outcome).cause());
        yield Settlement.postponed(entry, GUARD_AWAY, reason);
      }
    };
  }

  /** What the effect's code threw. */
  private static <R> Optional<Throwable> cause(EffectOutcome<R> outcome) {
    return switch (outcome.kind()) {
      case NOT_PERFORMED -> Optional.of(((EffectOutcome.NotPerformed<R>) outcome).cause());
      case IN_DOUBT -> Optional.ofNullable(((EffectOutcome.InDoubt<R>) outcome).cause());
      default -> Optional.empty();
    };
  }

  /** What meets many effects at once: a line for the group, with one of them by name. */
  private void logInBulk(List<EffectOutcome<R>> outcomes) {
    List<EffectOutcome<R>> replayed = ofKind(outcomes, EffectOutcome.Kind.REPLAYED);
    if (!replayed.isEmpty()) {
      log.info(
          "{} effects {} not run again, their receipts were kept; the first is {}",
          replayed.size(),
          effect.name(),
          replayed.get(0).key());
    }
    List<EffectOutcome<R>> waiting = ofKind(outcomes, EffectOutcome.Kind.UNAVAILABLE);
    if (!waiting.isEmpty()) {
      log.warn(
          "{} effects {} wait, the guard could not be asked; the first is {}: {}",
          waiting.size(),
          effect.name(),
          waiting.get(0).key(),
          Causes.summary(((EffectOutcome.Unavailable<R>) waiting.get(0)).cause()));
    }
  }

  private static <R> List<EffectOutcome<R>> ofKind(
      List<EffectOutcome<R>> outcomes, EffectOutcome.Kind kind) {
    return outcomes.stream().filter(outcome -> outcome.kind() == kind).toList();
  }

  private Settlement done(JournalEntry entry, Receipt<R> receipt) {
    return Settlement.done(entry, receipt.kept() ? receipt.bytes() : null);
  }

  private Settlement putOff(JournalEntry entry, Throwable cause) {
    String reason = Causes.summary(cause);
    if (entry.attempt() >= deferral.mostAttempts()) {
      log.error("{}: failed for good after {} attempts: {}", entry.key(), entry.attempt(), reason);
      return Settlement.failed(entry, reason);
    }
    Duration pause = deferral.pauses().after(entry.attempt());
    log.warn(
        "{}: attempt {} did not happen, next in {} ms: {}",
        entry.key(),
        entry.attempt(),
        pause.toMillis(),
        reason);
    return Settlement.retryAt(entry, pause, reason);
  }

  private Settlement doubt(JournalEntry entry, EffectOutcome.InDoubt<R> outcome) {
    @Nullable Throwable cause = outcome.cause();
    String reason = cause == null ? "an earlier attempt ended unknown" : Causes.summary(cause);
    if (effect.policy().onUnknown() == OnUnknown.HOLD
        || entry.attempt() >= deferral.mostAttempts()) {
      log.error("{}: held, its outcome is unknown: {}", entry.key(), reason);
      return Settlement.held(entry, reason);
    }
    Duration pause = deferral.pauses().after(entry.attempt());
    log.warn(
        "{}: the outcome of attempt {} is unknown, {} in {} ms: {}",
        entry.key(),
        entry.attempt(),
        effect.policy().onUnknown(),
        pause.toMillis(),
        reason);
    return Settlement.inDoubt(entry, pause, reason);
  }
}
