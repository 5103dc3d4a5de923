package io.idembox.service;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectPolicy;
import io.idembox.effect.RedisEffectStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Redis as a guard, and what it will hold. */
final class GuardDoctor {
  /** Measured with a receipt of 60 bytes. */
  private static final long BYTES_OF_A_KEY = 200;

  private final Stores stores;
  private final EffectCatalog effects;
  private final boolean database;

  GuardDoctor(Stores stores, EffectCatalog effects, boolean database) {
    this.stores = stores;
    this.effects = effects;
    this.database = database;
  }

  List<Finding> findings() {
    Optional<RedisEffectStore> store = stores.store();
    if (store.isEmpty()) {
      return List.of(
          Finding.info(
              "redis", "there is no guard: redis.uri is not set", "nothing, without effects"));
    }
    List<Finding> findings = new ArrayList<>();
    store.get().check().forEach(found -> findings.add(Finding.of(found)));
    if (findings.stream().noneMatch(one -> one.severity() == Finding.Severity.ERROR)) {
      findings.add(Finding.ok("redis", "Redis can guard effects"));
    }
    Duration least = store.get().commandTimeout().multipliedBy(3);
    for (String name : effects.names()) {
      Duration lease = effects.find(name).map(effect -> effect.policy().lease()).orElse(least);
      if (lease.compareTo(least) < 0) {
        findings.add(
            Finding.error(
                "redis.lease",
                "effect " + name + " has a lease of " + Durations.text(lease),
                "give it at least three times redis.command-timeout, " + Durations.text(least)));
      }
    }
    if (database) {
      memory(findings);
    }
    return findings;
  }

  /** From the journal, whose rows came at the rate at which keys are made. */
  private void memory(List<Finding> findings) {
    double perSecond =
        stores.query(
            """
            select coalesce((last.id - first.id) / greatest(1, extract(epoch from last.created_at - first.created_at)), 0)
            from (select id, created_at from idembox.effect order by id limit 1) first,
              (select id, created_at from idembox.effect order by id desc limit 1) last
            """,
            select -> {},
            row -> row.next() ? row.getDouble(1) : 0);
    Duration retention =
        effects.names().stream()
            .flatMap(name -> effects.find(name).stream())
            .map(effect -> effect.policy().retention())
            .max(Duration::compareTo)
            .orElse(EffectPolicy.DEFAULT_RETENTION);
    long mebibytes = (long) (perSecond * retention.toSeconds() * BYTES_OF_A_KEY) >> 20;
    findings.add(
        Finding.info(
            "redis.memory",
            "about %.1f effects/s x %s x %d bytes = %d MiB of keys in Redis"
                .formatted(perSecond, Durations.text(retention), BYTES_OF_A_KEY, mebibytes),
            "give Redis a maxmemory well above it"));
  }
}
