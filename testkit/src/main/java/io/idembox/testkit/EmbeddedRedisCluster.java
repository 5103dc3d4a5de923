package io.idembox.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * A Redis Cluster of three masters, each with one replica, on free loopback ports. A replica takes
 * over about two seconds after its master was killed. Processes, not containers. Thread-safe.
 */
public final class EmbeddedRedisCluster implements AutoCloseable {
  private static final int MASTERS = 3;
  private static final int NODES = 2 * MASTERS;
  private static final int SLOTS = 16_384;
  private static final Duration FORMED_WITHIN = Duration.ofSeconds(60);

  private final List<EmbeddedRedis> nodes;

  private EmbeddedRedisCluster(List<EmbeddedRedis> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /**
   * Starts the nodes and returns when every slot is served and every replica is linked to its
   * master.
   *
   * @throws ServerStartException if a node does not start or the cluster does not form within a
   *     minute
   */
  public static EmbeddedRedisCluster start() {
    List<CompletableFuture<EmbeddedRedis>> starting =
        IntStream.range(0, NODES)
            .mapToObj(i -> EmbeddedServers.inBackground("redis-" + i, EmbeddedRedisCluster::node))
            .toList();
    List<EmbeddedRedis> nodes = new ArrayList<>();
    try {
      starting.forEach(node -> nodes.add(node.join()));
      EmbeddedRedisCluster cluster = new EmbeddedRedisCluster(nodes);
      cluster.form();
      return cluster;
    } catch (CompletionException | TestkitException e) {
      for (CompletableFuture<EmbeddedRedis> node : starting) {
        node.thenAccept(EmbeddedRedis::close).exceptionally(failed -> null).join();
      }
      throw new ServerStartException("Redis Cluster did not start: " + e.getMessage(), e);
    }
  }

  private static EmbeddedRedis node() {
    return EmbeddedRedis.builder()
        .args(
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            "1000",
            "--cluster-replica-validity-factor",
            "0")
        .args("--repl-diskless-sync-delay", "0")
        .start();
  }

  private void form() {
    for (int i = 0; i < NODES; i++) {
      nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
      nodes
          .get(i)
          .command("CLUSTER", "MEET", nodes.get(0).host(), Integer.toString(nodes.get(0).port()));
    }
    for (int i = 0; i < MASTERS; i++) {
      int from = i * SLOTS / MASTERS;
      int to = (i + 1) * SLOTS / MASTERS;
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      IntStream.range(from, to).forEach(slot -> words.add(Integer.toString(slot)));
      nodes.get(i).command(words.toArray(String[]::new));
    }
    await(
        "know each other",
        () -> nodes.stream().allMatch(node -> info(node).contains("cluster_known_nodes:" + NODES)));
    for (int i = MASTERS; i < NODES; i++) {
      String master = nodes.get(i - MASTERS).command("CLUSTER", "MYID");
      EmbeddedRedis replica = nodes.get(i);
      await("take their masters", () -> accepts(replica, master));
    }
    awaitHealthy(FORMED_WITHIN);
  }

  // The node may know its master's address before it knows its name.
  private static boolean accepts(EmbeddedRedis replica, String master) {
    try {
      return replica.command("CLUSTER", "REPLICATE", master).equals("OK");
    } catch (TestkitException e) {
      return false;
    }
  }

  private static String info(EmbeddedRedis node) {
    return node.command("CLUSTER", "INFO");
  }

  private static void await(String what, BooleanSupplier condition) {
    if (!Pause.until(FORMED_WITHIN, condition)) {
      throw new TestkitException("The nodes do not " + what + " within " + FORMED_WITHIN);
    }
  }

  /**
   * Waits until all nodes are up, every slot is served, and every replica is linked to its master.
   *
   * @throws TestkitException if that does not come about within the limit
   */
  public void awaitHealthy(Duration limit) {
    if (!Pause.until(limit, () -> nodes.stream().allMatch(EmbeddedRedisCluster::isHealthy))) {
      throw new TestkitException("The Redis Cluster is not whole within " + limit);
    }
  }

  private static boolean isHealthy(EmbeddedRedis node) {
    try {
      String replication = node.command("INFO", "replication");
      boolean linked =
          replication.contains("role:master") || replication.contains("master_link_status:up");
      String nodes = node.command("CLUSTER", "NODES");
      long replicas = nodes.lines().filter(line -> line.contains("slave ")).count();
      return linked
          && info(node).contains("cluster_state:ok")
          && replicas == MASTERS
          && !nodes.contains("fail");
    } catch (TestkitException e) {
      return false;
    }
  }

  /** The six nodes; any may be killed and restarted. */
  public List<EmbeddedRedis> nodes() {
    return nodes;
  }

  /** {@code redis://host:port} for each node. */
  public List<String> uris() {
    return nodes.stream().map(EmbeddedRedis::uri).toList();
  }

  /**
   * The running node that serves the key now.
   *
   * @throws TestkitException if no master that is up does
   */
  public EmbeddedRedis masterOf(String key) {
    return findMaster(key)
        .orElseThrow(
            () -> new TestkitException("No node of the Redis Cluster serves '" + key + "' now"));
  }

  private Optional<EmbeddedRedis> findMaster(String key) {
    return nodes.stream().filter(node -> serves(node, key)).findFirst();
  }

  // Only the slot's master answers; a replica says MOVED, as the other masters do.
  private static boolean serves(EmbeddedRedis node, String key) {
    try {
      node.command("TYPE", key);
      return true;
    } catch (TestkitException e) {
      return false;
    }
  }

  /**
   * Kills the node that serves the key and waits for its replica to take over.
   *
   * @return the killed node, for {@link EmbeddedRedis#restart()}
   * @throws TestkitException if no replica has taken over within the limit
   */
  public EmbeddedRedis killMasterOf(String key, Duration limit) {
    EmbeddedRedis master = masterOf(key);
    master.kill();
    if (!Pause.until(limit, () -> findMaster(key).isPresent())) {
      throw new TestkitException(
          "No replica has taken over from port " + master.port() + " within " + limit);
    }
    return master;
  }

  /** Stops all nodes and removes their data. Idempotent. */
  @Override
  public void close() {
    EmbeddedServers.closeAll(nodes.stream().map(node -> (Runnable) node::close).toList());
  }
}
