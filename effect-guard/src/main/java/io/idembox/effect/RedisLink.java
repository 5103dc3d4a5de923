package io.idembox.effect;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.models.role.RedisNodeDescription;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The one connection of a store, with the client behind it.
 *
 * @param where host and port, never credentials
 * @param scriptFlags whether the server knows script flags (Redis 7 and later)
 * @param leftAt when a demoted server was last given up
 */
record RedisLink(
    AbstractRedisClient client,
    ClientResources resources,
    StatefulConnection<byte[], byte[]> connection,
    String where,
    boolean scriptFlags,
    AtomicLong leftAt)
    implements AutoCloseable {
  private static final long LEAVE_INTERVAL = Duration.ofSeconds(2).toNanos();
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  boolean cluster() {
    return connection instanceof StatefulRedisClusterConnection;
  }

  RedisClusterAsyncCommands<byte[], byte[]> async() {
    if (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
      return cluster.async();
    }
    return ((StatefulRedisConnection<byte[], byte[]>) connection).async();
  }

  /**
   * Each master that holds data, by its address; connects to those that are not connected to yet,
   * and waits for it.
   */
  Map<String, RedisClusterAsyncCommands<byte[], byte[]>> masters() {
    if (!(connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster)) {
      return Map.of(where, async());
    }
    Map<String, RedisClusterAsyncCommands<byte[], byte[]>> masters = new LinkedHashMap<>();
    for (RedisClusterNode node : cluster.getPartitions()) {
      // A dead master whose replica took over is still listed, without slots.
      if (node.getRole() == RedisNodeDescription.Role.UPSTREAM && !node.getSlots().isEmpty()) {
        masters.put(
            node.getUri().getHost() + ":" + node.getUri().getPort(),
            cluster.async().getConnection(node.getNodeId()));
      }
    }
    return masters;
  }

  /** Sends a command; one that cannot be sent is completed with the reason. */
  <T> void dispatch(AsyncCommand<byte[], byte[], T> command) {
    try {
      connection.dispatch(command);
    } catch (RuntimeException e) {
      // A closed client throws instead of answering.
      command.completeExceptionally(e);
    }
  }

  /** Sends commands in one write. */
  void dispatch(List<AsyncCommand<byte[], byte[], byte[]>> batch) {
    try {
      connection.dispatch(batch);
    } catch (RuntimeException e) {
      batch.forEach(command -> command.completeExceptionally(e));
    }
  }

  /** What a command's failure means; a server that takes no writes is left. */
  EffectStoreException failed(@Nullable Throwable failure) {
    EffectStoreException known = RedisErrors.of(failure, where);
    if (known.kind() == EffectStoreException.Kind.READ_ONLY) {
      leaveReplica();
    }
    return known;
  }

  /**
   * Gives up the connection to a server that takes no writes any more, so that the client looks the
   * address up anew: where a name or a Sentinel leads to another master by now, the old connection
   * would stay with the demoted one for ever. At most every two seconds, for the address may lead
   * back here. In a cluster the nodes themselves say where to go.
   */
  void leaveReplica() {
    long now = System.nanoTime();
    long before = leftAt.get();
    if (!cluster() && now - before > LEAVE_INTERVAL && leftAt.compareAndSet(before, now)) {
      // By the server's hand, so that what is under way is answered first and the client connects
      // again by itself.
      connection.dispatch(
          new AsyncCommand<>(
              new Command<>(CommandType.QUIT, new StatusOutput<>(ByteArrayCodec.INSTANCE))));
    }
  }

  static AtomicLong neverLeft() {
    return new AtomicLong(System.nanoTime() - LEAVE_INTERVAL);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(Duration.ZERO, CLOSE_TIMEOUT);
    resources
        .shutdown(0, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(CLOSE_TIMEOUT.toMillis());
  }
}
