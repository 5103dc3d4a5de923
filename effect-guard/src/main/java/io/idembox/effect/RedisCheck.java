package io.idembox.effect;

import io.idembox.effect.StoreFinding.Severity;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks every master about what would break a promise. */
final class RedisCheck {
  private static final Duration CLOCK_LIMIT = Duration.ofSeconds(5);
  private static final double FULL = 0.8;

  private final RedisLink link;
  private final Duration commandTimeout;
  private final Set<String> accepted;
  private final List<StoreFinding> findings = new ArrayList<>();

  RedisCheck(RedisLink link, Duration commandTimeout, Set<String> accepted) {
    this.link = link;
    this.commandTimeout = commandTimeout;
    this.accepted = accepted;
  }

  List<StoreFinding> findings() {
    try {
      link.masters().forEach(this::check);
    } catch (RedisException e) {
      throw RedisErrors.of(e, link.where());
    }
    return List.copyOf(findings);
  }

  private void check(String where, RedisClusterAsyncCommands<byte[], byte[]> server) {
    Map<String, String> info = parse(await(server.info("everything")));
    version(where, info);
    role(where, info);
    memory(where, info);
    persistence(where, info, server);
    replicas(where, info);
    clock(where, server);
  }

  private void version(String where, Map<String, String> info) {
    String version = info.getOrDefault("redis_version", "0.0");
    String[] numbers = version.split("\\.", -1);
    int major = Integer.parseInt(numbers[0]);
    int minor = Integer.parseInt(numbers[1]);
    if (major < 6 || (major == 6 && minor < 2)) {
      add(
          Severity.ERROR,
          "redis.version",
          "Redis at %s is version %s".formatted(where, version),
          "The guard is tested with 6.2 and later only",
          "Use 7.0 or later");
    } else if (major < 7) {
      add(
          Severity.INFO,
          "redis.version",
          "Redis at %s is version %s".formatted(where, version),
          "Where its memory is full, it refuses to record effects that have run; from 7.0 on it takes them",
          "Use 7.0 or later");
    }
  }

  private void role(String where, Map<String, String> info) {
    if (info.getOrDefault("role", "").equals("slave")) {
      add(
          Severity.ERROR,
          "redis.role",
          "Redis at %s is a replica".formatted(where),
          "It takes no claims, so no effect runs",
          "Name the master, or its Sentinels or cluster");
    }
    if (info.getOrDefault("loading", "0").equals("1")) {
      add(
          Severity.ERROR,
          "redis.loading",
          "Redis at %s still reads its data".formatted(where),
          "It answers nothing until it has",
          "Wait");
    }
  }

  private void memory(String where, Map<String, String> info) {
    String policy = info.getOrDefault("maxmemory_policy", "unknown");
    long limit = number(info, "maxmemory");
    if (!policy.equals("noeviction")) {
      add(
          Severity.ERROR,
          "redis.eviction",
          "Redis at %s has maxmemory-policy %s".formatted(where, policy),
          "Under memory pressure it drops effects that are done, and they run again; the volatile policies drop just those",
          "Set maxmemory-policy noeviction, or use a Redis of its own");
    }
    if (limit == 0) {
      add(
          Severity.WARNING,
          "redis.maxmemory",
          "Redis at %s has no maxmemory".formatted(where),
          "When the machine's memory ends, the system may kill it",
          "Set maxmemory to what rate x retention x 200 bytes need, with room");
    } else if (number(info, "used_memory") > limit * FULL) {
      add(
          Severity.WARNING,
          "redis.full",
          "Redis at %s uses %s of %s bytes".formatted(where, info.get("used_memory"), limit),
          "When it is full, no effect starts",
          "Raise maxmemory or shorten retentions");
    }
    add(
        Severity.INFO,
        "redis.size",
        "Redis at %s holds %d keys in %s bytes"
            .formatted(where, keys(info), info.getOrDefault("used_memory", "?")),
        "An effect stays for its retention: keys grow with rate x retention",
        "Compare with what the effects' rates and retentions let expect");
    if (number(info, "evicted_keys") > 0) {
      add(
          Severity.WARNING,
          "redis.evicted",
          "Redis at %s has evicted %s keys since its start"
              .formatted(where, info.get("evicted_keys")),
          "Some may have been effects that were done",
          "See maxmemory-policy");
    }
  }

  private void persistence(
      String where, Map<String, String> info, RedisClusterAsyncCommands<byte[], byte[]> server) {
    if (info.getOrDefault("aof_enabled", "0").equals("1")) {
      if (setting(server, "appendfsync").filter("no"::equals).isPresent()) {
        add(
            Severity.WARNING,
            "redis.appendfsync",
            "Redis at %s has appendfsync no".formatted(where),
            "It leaves to the system when its log is written to the disk, half a minute later perhaps: after a power failure those effects may run again",
            "Set appendfsync everysec, which risks one second");
      }
      return;
    }
    // Managed servers hide CONFIG: the last snapshot tells as much as can be known.
    boolean snapshots =
        setting(server, "save")
            .map(save -> !save.isEmpty())
            .orElseGet(
                () ->
                    number(info, "rdb_saves") > 0
                        || number(info, "rdb_changes_since_last_save") == 0);
    add(
        Severity.WARNING,
        "redis.persistence",
        "Redis at %s %s".formatted(where, snapshots ? "has snapshots only" : "has no persistence"),
        "After its crash it has forgotten %s, and those effects may run again"
            .formatted(snapshots ? "the last minutes" : "everything"),
        "Set appendonly yes");
  }

  /** A setting of the server; empty where it hides them. */
  private Optional<String> setting(RedisClusterAsyncCommands<byte[], byte[]> server, String name) {
    try {
      return Optional.ofNullable(await(server.configGet(name)).get(name));
    } catch (EffectStoreException e) {
      return Optional.empty();
    }
  }

  private void replicas(String where, Map<String, String> info) {
    if (number(info, "connected_slaves") > 0
        // INFO has this line only where a least number of replicas is set, CONFIG hidden or not.
        && !info.containsKey("min_slaves_good_slaves")) {
      add(
          Severity.WARNING,
          "redis.min-replicas",
          "Redis at %s has replicas, and takes writes when none of them is there".formatted(where),
          "Cut off from them, it goes on recording effects until the failover is noticed, and the new master knows none of those: they may run again",
          "Set min-replicas-to-write 1 and min-replicas-max-lag 10, if no effect is to start while too few replicas are there");
    }
    if (number(info, "connected_slaves") == 0) {
      add(
          Severity.INFO,
          "redis.replicas",
          "Redis at %s has no replica".formatted(where),
          "While it is down, no effect starts",
          "Add one if that matters; replication is asynchronous, so a failover can lose the last moments");
    }
  }

  private void clock(String where, RedisClusterAsyncCommands<byte[], byte[]> server) {
    List<byte[]> time = await(server.time());
    long seconds =
        Long.parseLong(new String(time.get(0), java.nio.charset.StandardCharsets.US_ASCII));
    long off = Math.abs(System.currentTimeMillis() / 1000 - seconds);
    if (off > CLOCK_LIMIT.toSeconds()) {
      add(
          Severity.WARNING,
          "redis.clock",
          "The clock of Redis at %s is %d s off this machine's".formatted(where, off),
          "Leases and retentions go by its clock, and end early when it is set forward",
          "Let both follow NTP");
    }
  }

  private void add(Severity severity, String code, String what, String why, String remedy) {
    Severity effective =
        severity == Severity.ERROR && accepted.contains(code) ? Severity.WARNING : severity;
    findings.add(new StoreFinding(effective, code, what, why, remedy));
  }

  private <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw RedisErrors.of(e, link.where());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RedisErrors.of(e, link.where());
    }
  }

  private static Map<String, String> parse(String info) {
    Map<String, String> values = new HashMap<>();
    info.lines()
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0) {
                values.putIfAbsent(line.substring(0, colon), line.substring(colon + 1).trim());
              }
            });
    return values;
  }

  /** Of all databases: {@code db0:keys=12,expires=11,avg_ttl=0}. */
  private static long keys(Map<String, String> info) {
    long keys = 0;
    for (Map.Entry<String, String> line : info.entrySet()) {
      if (line.getKey().matches("db\\d+") && line.getValue().startsWith("keys=")) {
        String value = line.getValue();
        keys += Long.parseLong(value.substring("keys=".length(), value.indexOf(',')));
      }
    }
    return keys;
  }

  private static long number(Map<String, String> info, String name) {
    try {
      return Long.parseLong(info.getOrDefault(name, "0"));
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
