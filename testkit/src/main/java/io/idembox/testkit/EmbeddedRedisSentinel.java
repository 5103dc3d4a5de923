package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Redis master, its replica, and three Sentinels that watch them, on free loopback ports. The
 * replica takes over about two seconds after its master was killed. Processes, not containers.
 * Thread-safe.
 */
public final class EmbeddedRedisSentinel implements AutoCloseable {
  /** The name by which the Sentinels know the master. */
  public static final String MASTER_NAME = "idembox";

  private static final int SENTINELS = 3;
  private static final Duration FORMED_WITHIN = Duration.ofSeconds(60);

  private final List<EmbeddedRedis> servers;
  private final @Nullable String serverPassword;
  private final List<SentinelProcess> sentinels = new ArrayList<>();

  private EmbeddedRedisSentinel(List<EmbeddedRedis> servers, @Nullable String serverPassword) {
    this.servers = List.copyOf(servers);
    this.serverPassword = serverPassword;
  }

  /**
   * Starts all five and returns when the replica is linked to its master and the Sentinels know of
   * each other.
   *
   * @param arguments added to the command line of master and replica
   * @throws ServerStartException if one does not start or they do not find each other within a
   *     minute
   */
  public static EmbeddedRedisSentinel start(String... arguments) {
    return started(null, null, arguments);
  }

  /**
   * As {@link #start}, with a password for master and replica, which is in {@link #uri()}, and
   * another for the Sentinels, which is not.
   */
  public static EmbeddedRedisSentinel startWithPasswords(
      String serverPassword, String sentinelPassword) {
    return started(
        requireNonNull(serverPassword, "serverPassword"),
        requireNonNull(sentinelPassword, "sentinelPassword"));
  }

  private static EmbeddedRedisSentinel started(
      @Nullable String serverPassword, @Nullable String sentinelPassword, String... arguments) {
    List<EmbeddedRedis> servers = new ArrayList<>();
    EmbeddedRedisSentinel all = null;
    try {
      EmbeddedRedis master = server(serverPassword, arguments);
      servers.add(master);
      EmbeddedRedis replica = server(serverPassword, arguments);
      servers.add(replica);
      replica.command("REPLICAOF", master.host(), Integer.toString(master.port()));
      all = new EmbeddedRedisSentinel(servers, serverPassword);
      // Before the Sentinels look: they look again only ten seconds later.
      all.awaitReplica();
      for (int i = 0; i < SENTINELS; i++) {
        all.sentinels.add(
            new SentinelProcess(MASTER_NAME, master.port(), serverPassword, sentinelPassword));
      }
      all.awaitHealthy(FORMED_WITHIN);
      return all;
    } catch (TestkitException e) {
      if (all == null) {
        servers.forEach(EmbeddedRedis::close);
      } else {
        all.close();
      }
      throw new ServerStartException("Redis Sentinel did not start: " + e.getMessage(), e);
    }
  }

  private static EmbeddedRedis server(@Nullable String password, String... arguments) {
    EmbeddedRedis.Builder builder =
        EmbeddedRedis.builder().args("--repl-diskless-sync-delay", "0").args(arguments);
    if (password != null) {
      builder.password(password).args("--masterauth", password);
    }
    return builder.start();
  }

  /** {@code redis-sentinel://} with each Sentinel's address and the master's name. */
  public String uri() {
    return sentinels.stream()
        .map(one -> "127.0.0.1:" + one.port())
        .collect(
            Collectors.joining(
                ",",
                "redis-sentinel://" + (serverPassword == null ? "" : ":" + serverPassword + "@"),
                "#" + MASTER_NAME));
  }

  /** Master and replica, whichever is which now. */
  public List<EmbeddedRedis> servers() {
    return servers;
  }

  /**
   * The server that the Sentinels name as master.
   *
   * @throws TestkitException if they name none that is up and agrees
   */
  public EmbeddedRedis master() {
    return findMaster()
        .orElseThrow(
            () -> new TestkitException("No running server is master by the Sentinels' word"));
  }

  private Optional<EmbeddedRedis> findMaster() {
    return servers.stream()
        .filter(one -> sentinels.stream().allMatch(s -> s.masterPort().orElse(0) == one.port()))
        .filter(one -> replication(one).contains("role:master"))
        .findFirst();
  }

  /**
   * Kills the master and waits for its replica to take over.
   *
   * @return the killed server, for {@link EmbeddedRedis#restart()}; the Sentinels make a replica of
   *     it
   * @throws TestkitException if the replica has not taken over within the limit
   */
  public EmbeddedRedis killMaster(Duration limit) {
    EmbeddedRedis master = master();
    master.kill();
    awaitMasterOtherThan(master, limit);
    return master;
  }

  /**
   * Has the Sentinels promote the replica while the master lives; it is demoted, and its clients
   * are disconnected.
   *
   * @return the former master
   * @throws TestkitException if the replica has not taken over within the limit
   */
  public EmbeddedRedis failover(Duration limit) {
    EmbeddedRedis master = master();
    if (!Pause.until(limit, () -> sentinels.get(0).failover())) {
      throw new TestkitException("The Sentinels refuse a failover for " + limit);
    }
    awaitMasterOtherThan(master, limit);
    return master;
  }

  private void awaitMasterOtherThan(EmbeddedRedis former, Duration limit) {
    if (!Pause.until(limit, () -> findMaster().filter(now -> now != former).isPresent())) {
      throw new TestkitException(
          "No replica has taken over from port " + former.port() + " within " + limit);
    }
  }

  /**
   * Waits until both servers are up and linked and every Sentinel knows of them and of each other.
   *
   * @throws TestkitException if that does not come about within the limit
   */
  public void awaitHealthy(Duration limit) {
    if (!Pause.until(limit, this::isHealthy)) {
      throw new TestkitException("The Sentinels' servers are not whole within " + limit);
    }
  }

  private boolean isHealthy() {
    return findMaster().isPresent()
        && servers.stream().anyMatch(one -> replication(one).contains("master_link_status:up"))
        && sentinels.stream().allMatch(s -> s.seesAll(SENTINELS, servers.size() - 1));
  }

  private void awaitReplica() {
    if (!Pause.until(
        FORMED_WITHIN,
        () -> servers.stream().anyMatch(s -> replication(s).contains("master_link_status:up")))) {
      throw new TestkitException("The replica is not linked within " + FORMED_WITHIN);
    }
  }

  private static String replication(EmbeddedRedis server) {
    try {
      return server.command("INFO", "replication");
    } catch (TestkitException e) {
      return "";
    }
  }

  /** Stops all of them and removes their data. Idempotent. */
  @Override
  public void close() {
    sentinels.forEach(SentinelProcess::close);
    EmbeddedServers.closeAll(servers.stream().map(one -> (Runnable) one::close).toList());
  }
}
