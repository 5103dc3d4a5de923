package io.idembox.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectOperations;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.EffectRecord;
import io.idembox.effect.JsonEffectCodec;
import io.idembox.inbox.EffectState;
import io.idembox.inbox.JournalDecisions;
import io.idembox.inbox.JournalRow;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What people do with effects, by command and by API: journal first, then the guard, so that a
 * decision that was cut off between the two is finished by taking it again. Thread-safe.
 */
final class EffectActions {
  /** Those that wait for somebody. */
  static final Set<EffectState> FOR_PEOPLE =
      EnumSet.of(EffectState.HELD, EffectState.FAILED, EffectState.IN_DOUBT);

  private final Stores stores;

  EffectActions(Stores stores) {
    this.stores = stores;
  }

  List<EffectView> list(Set<EffectState> states, long after, int limit) {
    return stores.inbox().decisions().list(states, after, limit).stream()
        .map(row -> EffectView.of(row, null, false))
        .toList();
  }

  /** What the guard alone has in doubt, journal or not. */
  List<EffectView> inDoubtInGuard() {
    return operations()
        .map(EffectOperations::inDoubt)
        .orElseThrow(() -> new NotPossibleException("there is no guard: redis.uri is not set"))
        .stream()
        .flatMap(
            record ->
                record.key().stream().map(key -> EffectView.of(KeyView.of(key), record, false)))
        .toList();
  }

  /**
   * One effect, as journal and guard have it.
   *
   * @throws NotPossibleException if neither knows the key
   */
  EffectView show(EffectKey key) {
    Optional<JournalRow> row = stores.inbox().decisions().find(key);
    Optional<EffectRecord> record = operations().flatMap(guard -> guard.show(key));
    return row.map(found -> EffectView.of(found, record.orElse(null), true))
        .or(() -> record.map(found -> EffectView.of(KeyView.of(key), found, true)))
        .orElseThrow(
            () -> new NotPossibleException("neither journal nor guard know the effect " + key));
  }

  /**
   * What came of a decision.
   *
   * @param journal what the journal did
   * @param guard what the guard did; null without one
   * @param releasedLetters dead letters that waited for this effect, and are open now
   */
  record Decided(KeyView key, String journal, @Nullable String guard, List<Long> releasedLetters) {}

  /**
   * It happened, says somebody. The guard remembers it as long as the effect's policy said when it
   * was asked for, or for the usual time if only the guard knows it.
   *
   * @param receipt JSON for later callers, or null when there is none to give
   */
  Decided resolveDone(EffectKey key, @Nullable String receipt, String by) {
    JsonNode json = parsed(receipt);
    Duration retention =
        stores
            .inbox()
            .decisions()
            .find(key)
            .map(JournalRow::retention)
            .orElse(EffectPolicy.DEFAULT_RETENTION);
    return decided(
        key,
        decisions -> decisions.resolveDone(key, encoded(json), by),
        guard ->
            json == null
                ? guard.resolveDoneWithoutReceipt(key, retention)
                : guard.resolveDone(key, json, retention));
  }

  /** It did not happen, says somebody: it is due again. */
  Decided resolveNotDone(EffectKey key, String by) {
    return decided(
        key, decisions -> decisions.resolveNotDone(key, by), guard -> guard.resolveNotDone(key));
  }

  /** Nobody knows it any more: asked for again, it runs again, under a new provider key. */
  Decided forget(EffectKey key) {
    return decided(key, decisions -> decisions.forget(key), guard -> guard.forget(key));
  }

  private Decided decided(
      EffectKey key,
      Function<JournalDecisions, JournalDecisions.Decision> inJournal,
      Function<EffectOperations, EffectOperations.Decision> inGuard) {
    // A guard would take a decision about a key that it has never seen.
    show(key);
    JournalDecisions.Decision journal = inJournal.apply(stores.inbox().decisions());
    switch (journal) {
      case RUNNING ->
          throw new NotPossibleException(
              "effect " + key + " is being performed; decide when its lease has ended");
      case NOT_POSSIBLE ->
          throw new NotPossibleException(
              "effect "
                  + key
                  + " is settled in the journal, or lacks its request; see effects show");
      case APPLIED, NOT_FOUND -> {}
    }
    Optional<EffectOperations.Decision> guard = operations().map(inGuard);
    if (guard.isPresent() && guard.get() == EffectOperations.Decision.STILL_RUNNING) {
      throw new NotPossibleException(
          "the guard says that effect "
              + key
              + " is being performed; take the decision again when its lease has ended");
    }
    return new Decided(
        KeyView.of(key),
        ValueType.name(journal),
        guard.map(ValueType::name).orElse(null),
        stores.inbox().deadLetters().releaseHeld(key));
  }

  private Optional<EffectOperations> operations() {
    return stores.guard().map(guard -> guard.operations());
  }

  private static @Nullable JsonNode parsed(@Nullable String receipt) {
    try {
      return receipt == null ? null : Json.MAPPER.readTree(receipt);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the receipt is not JSON", e);
    }
  }

  private static byte @Nullable [] encoded(@Nullable JsonNode receipt) {
    if (receipt == null) {
      return null;
    }
    try {
      return new JsonEffectCodec().encode(receipt);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the receipt cannot be encoded", e);
    }
  }
}
