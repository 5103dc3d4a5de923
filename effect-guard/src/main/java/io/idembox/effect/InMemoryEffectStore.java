package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A store for tests and for a process whose effects need not outlive it. Expired records are
 * removed when they are looked at.
 *
 * <p>Thread-safe. All stages it returns are complete.
 */
public final class InMemoryEffectStore implements EffectStore {
  private final Clock clock;
  private final ConcurrentMap<EffectId, Entry> entries = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, StoreMarker> markers = new ConcurrentHashMap<>();

  private record Entry(EffectRecord record, @Nullable Instant expiresAt) {}

  public InMemoryEffectStore() {
    this(Clock.systemUTC());
  }

  /**
   * An empty store that goes by this clock.
   *
   * @param clock ends leases and retentions
   */
  public InMemoryEffectStore(Clock clock) {
    this.clock = clock;
  }

  @Override
  public CompletionStage<StoreReply> apply(StoreCommand command) {
    return CompletableFuture.completedStage(applied(command));
  }

  private StoreReply applied(StoreCommand command) {
    AtomicReference<StoreReply> reply = new AtomicReference<>();
    entries.compute(
        command.id(),
        (id, entry) -> {
          Instant now = clock.instant();
          Entry live = alive(entry, now);
          EffectRecord current = live == null ? null : live.record();
          EffectTransitions.Result result = EffectTransitions.apply(current, command, micros(now));
          reply.set(result.reply());
          EffectRecord next = result.next();
          if (!result.changed()) {
            return live;
          }
          return next == null
              ? null
              : new Entry(next, result.keepFor() == null ? null : now.plus(result.keepFor()));
        });
    return requireNonNull(reply.get());
  }

  @Override
  public CompletionStage<List<Optional<EffectRecord>>> lookUp(List<EffectId> ids) {
    Instant now = clock.instant();
    List<Optional<EffectRecord>> found = new ArrayList<>(ids.size());
    for (EffectId id : ids) {
      Entry live = entries.computeIfPresent(id, (key, entry) -> alive(entry, now));
      found.add(Optional.ofNullable(live).map(Entry::record));
    }
    return CompletableFuture.completedStage(found);
  }

  @Override
  public CompletionStage<List<EffectRecord>> unsettled(String namespace) {
    List<EffectRecord> found = new ArrayList<>();
    entries.forEach(
        (id, entry) -> {
          if (id.namespace().equals(namespace) && entry.record().indexed) {
            found.add(entry.record());
          }
        });
    return CompletableFuture.completedStage(found);
  }

  @Override
  public CompletionStage<Integer> sweep(String namespace) {
    int moved = 0;
    for (EffectId id : entries.keySet()) {
      if (id.namespace().equals(namespace)) {
        moved += applied(new StoreCommand.EndLease(id)).code() == StoreReply.Code.OK ? 1 : 0;
      }
    }
    return CompletableFuture.completedStage(moved);
  }

  @Override
  public CompletionStage<StoreMarker> marker(String namespace) {
    StoreMarker mine = new StoreMarker(UUID.randomUUID().toString(), clock.instant(), true);
    StoreMarker there = markers.putIfAbsent(namespace, mine);
    return CompletableFuture.completedStage(
        there == null ? mine : new StoreMarker(there.id(), there.createdAt(), false));
  }

  @Override
  public Duration commandTimeout() {
    return Duration.ZERO;
  }

  @Override
  public List<StoreFinding> check() {
    return List.of(
        new StoreFinding(
            StoreFinding.Severity.INFO,
            "memory.volatile",
            "Effects are remembered in this process only",
            "After a restart, and in another process, each runs again",
            "Use RedisEffectStore where that matters"));
  }

  @Override
  public void close() {}

  /** Puts raw bytes in place of a record, as a failing server or another release might. */
  void overwrite(EffectId id, byte[] stored) {
    entries.put(id, new Entry(EffectRecord.decode(stored), null));
  }

  /** How long a record will be kept from now; empty if for ever. */
  Optional<Duration> keeps(EffectId id) {
    return Optional.ofNullable(entries.get(id))
        .map(Entry::expiresAt)
        .map(expiry -> Duration.between(clock.instant(), expiry));
  }

  /** Loses everything, the markers too. */
  void clear() {
    entries.clear();
    markers.clear();
  }

  private static @Nullable Entry alive(@Nullable Entry entry, Instant now) {
    boolean expired =
        entry != null && entry.expiresAt() != null && !now.isBefore(entry.expiresAt());
    return expired ? null : entry;
  }

  private static long micros(Instant now) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, now);
  }
}
