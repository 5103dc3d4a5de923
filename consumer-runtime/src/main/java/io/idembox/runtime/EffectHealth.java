package io.idembox.runtime;

import io.idembox.inbox.EffectJournal.JournalEntry;
import io.idembox.inbox.EffectJournal.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How each effect fares: a breaker for each name. After many keys in a row that failed, the effect
 * is attempted once for each of longer and longer pauses and the rest of it waits, so that a
 * provider's outage does not use up the attempts of thousands. Thread-safe.
 */
final class EffectHealth {
  private static final Logger log = LoggerFactory.getLogger(EffectHealth.class);

  /** No longer than a person waits who has just repaired the provider. */
  static final Backoff PAUSES = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  private static final Set<Settlement.Result> FAILED =
      Set.of(
          Settlement.Result.RETRY_AT,
          Settlement.Result.IN_DOUBT,
          Settlement.Result.HELD,
          Settlement.Result.FAILED);
  private static final Set<Settlement.Result> ANSWERED =
      Set.of(Settlement.Result.DONE, Settlement.Result.REJECTED);

  private final Backoff backoff;
  private final Map<String, Breaker> breakers = new ConcurrentHashMap<>();

  EffectHealth(Backoff backoff) {
    this.backoff = backoff;
  }

  /** Which of these entries of one effect may be performed now: all, as a rule. */
  List<JournalEntry> admitted(String effect, List<JournalEntry> entries) {
    Breaker breaker = breaker(effect);
    if (!breaker.isOpen()) {
      return entries;
    }
    return breaker.tryAttempt().isPresent() ? List.of() : entries.subList(0, 1);
  }

  /** What is told to the journal about those that may not: no attempt is used up. */
  List<Settlement> postponed(String effect, List<JournalEntry> entries) {
    Breaker breaker = breaker(effect);
    Duration pause = breaker.pause();
    String reason =
        "effect " + effect + " failed for " + breaker.inARow() + " keys in a row, the others wait";
    List<Settlement> postponed = new ArrayList<>(entries.size());
    for (JournalEntry entry : entries) {
      postponed.add(Settlement.postponed(entry, pause, reason));
    }
    return postponed;
  }

  /** Runs of an effect ended. */
  void ended(String effect, List<Settlement> settlements) {
    Breaker breaker = breaker(effect);
    for (Settlement settlement : settlements) {
      if (FAILED.contains(settlement.result())) {
        if (breaker.failed(settlement.entry().key())) {
          log.error(
              "Effect {} failed for {} keys in a row; it is attempted once at a time, the next in {}"
                  + " ms, until one succeeds, and the others wait",
              effect,
              breaker.inARow(),
              breaker.pause().toMillis());
        }
      } else if (ANSWERED.contains(settlement.result()) && breaker.succeeded()) {
        log.info("Effect {} succeeds again and is performed at full speed", effect);
      }
    }
  }

  /** The names of the effects that are slowed down. */
  Set<String> slowed() {
    Set<String> slowed = new TreeSet<>();
    breakers.forEach(
        (effect, breaker) -> {
          if (breaker.isOpen()) {
            slowed.add(effect);
          }
        });
    return slowed;
  }

  private Breaker breaker(String effect) {
    return breakers.computeIfAbsent(effect, name -> new Breaker(backoff));
  }
}
