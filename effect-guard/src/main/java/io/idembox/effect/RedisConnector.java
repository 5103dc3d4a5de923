package io.idembox.effect;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections with options of our own. The client's defaults would let commands wait a
 * minute, queue without bound while disconnected, and send what was in flight again after a
 * reconnect, when nobody waits for the answer any more.
 */
final class RedisConnector {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(9);
  private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofSeconds(1);
  private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(10);
  private static final Duration ADAPTIVE_REFRESH = Duration.ofSeconds(1);
  private static final Duration ASK_AGAIN = Duration.ofMillis(20);
  private static final int QUEUE_SIZE = 20_000;
  private static final int IO_THREADS = 2;
  private static final Pattern DATABASE = Pattern.compile("[^/]*//[^/?#]*/0*[1-9].*");

  private final List<RedisURI> uris;
  private final String where;
  private final Duration commandTimeout;
  private final RedisTls tls;
  private final ClientProperties properties;
  private final long giveUp = System.nanoTime() + CONNECT_LIMIT.toNanos();

  RedisConnector(
      String uri,
      Duration commandTimeout,
      RedisTls tls,
      ClientProperties properties,
      @Nullable SentinelLogin sentinelLogin) {
    this.uris = parse(uri);
    this.properties = properties;
    if (sentinelLogin != null && uris.get(0).getSentinels().isEmpty()) {
      throw new IllegalArgumentException(
          "RedisEffectStore has a login for Sentinels, and its URI names none: write"
              + " redis-sentinel://host:port#master");
    }
    this.tls = tls;
    this.where =
        uris.stream().map(RedisConnector::address).collect(Collectors.joining(","))
            + (uris.get(0).isSsl() ? " over TLS" : "");
    this.commandTimeout = commandTimeout;
    for (RedisURI one : uris) {
      one.setTimeout(commandTimeout);
      properties.clientName().ifPresent(one::setClientName);
      // By default a Sentinel that does not answer is waited for a minute, at each reconnect.
      for (RedisURI sentinel : one.getSentinels()) {
        sentinel.setTimeout(commandTimeout);
        if (sentinelLogin != null) {
          sentinelLogin.applyTo(sentinel);
        }
      }
    }
  }

  /** The server's clock of features, and whether it is a node of a cluster. */
  private record Server(int major, boolean cluster) {
    static Server parse(String info) {
      int major = 0;
      boolean cluster = false;
      for (String line : info.split("\r?\n", -1)) {
        if (line.startsWith("redis_version:")) {
          String version = line.substring("redis_version:".length());
          major = Integer.parseInt(version.substring(0, version.indexOf('.')));
        } else if (line.equals("cluster_enabled:1")) {
          cluster = true;
        }
      }
      return new Server(major, cluster);
    }
  }

  /**
   * Connects to what the URI names: a server, a Sentinel's master, or the cluster that the server
   * is a node of.
   *
   * @throws EffectStoreException if it cannot within ten seconds; the message names host and port
   */
  RedisLink connect() {
    ClientResources.Builder building =
        ClientResources.builder()
            .ioThreadPoolSize(IO_THREADS)
            .computationThreadPoolSize(IO_THREADS)
            .reconnectDelay(
                Delay.fullJitter(
                    Duration.ofMillis(20), LONGEST_RECONNECT_DELAY, 20, TimeUnit.MILLISECONDS));
    properties.apply(building);
    ClientResources resources = building.build();
    AbstractRedisClient client = null;
    try {
      RedisClient single = RedisClient.create(resources);
      client = single;
      single.setOptions(options(ClientOptions.builder()).build());
      StatefulRedisConnection<byte[], byte[]> connection =
          await(single.connectAsync(ByteArrayCodec.INSTANCE, uris.get(0)));
      Server server = Server.parse(await(connection.async().info("everything")));
      StatefulConnection<byte[], byte[]> chosen = connection;
      if (server.cluster()) {
        single.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        RedisClusterClient cluster = RedisClusterClient.create(resources, uris);
        client = cluster;
        cluster.setOptions(clusterOptions());
        await(cluster.refreshPartitionsAsync());
        StatefulRedisClusterConnection<byte[], byte[]> nodes =
            await(cluster.connectAsync(ByteArrayCodec.INSTANCE));
        reachAll(nodes);
        chosen = nodes;
      }
      return new RedisLink(
          client, resources, chosen, where, server.major() >= 7, RedisLink.neverLeft());
    } catch (RuntimeException e) {
      if (client != null) {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      }
      var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
      throw e;
    }
  }

  /**
   * Nodes are connected to by the first command for one of their slots, and while that lasts
   * commands are rejected. So each bucket is asked for something until it answers: the first
   * effects should not find their guard away.
   */
  private void reachAll(StatefulRedisClusterConnection<byte[], byte[]> nodes) {
    for (byte[] key : new RedisKeys("connect").allIndexes()) {
      while (true) {
        try {
          await(nodes.async().exists(key));
          break;
        } catch (EffectStoreException e) {
          if (giveUp - System.nanoTime() < 0) {
            throw e;
          }
          LockSupport.parkNanos(this, ASK_AGAIN.toNanos());
        }
      }
    }
  }

  String where() {
    return where;
  }

  private <T> T await(CompletionStage<T> stage) {
    try {
      return stage
          .toCompletableFuture()
          .get(Math.max(0, giveUp - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      EffectStoreException known = RedisErrors.of(e, where);
      throw known;
    } catch (TimeoutException e) {
      throw new EffectStoreException(
          EffectStoreException.Kind.UNREACHABLE,
          "Redis at %s has not answered within %s".formatted(where, CONNECT_LIMIT),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EffectStoreException(
          EffectStoreException.Kind.UNREACHABLE,
          "Interrupted while connecting to Redis at " + where,
          e);
    }
  }

  private <B extends ClientOptions.Builder> B options(B builder) {
    Duration connect = Duration.ofSeconds(3);
    SocketOptions.Builder socket =
        SocketOptions.builder().connectTimeout(connect).keepAlive(true).tcpNoDelay(true);
    properties.apply(socket);
    builder
        .timeoutOptions(TimeoutOptions.enabled(commandTimeout))
        .socketOptions(socket.build())
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        .requestQueueSize(QUEUE_SIZE)
        .pingBeforeActivateConnection(true)
        .sslOptions(tls.options())
        .scriptCharset(StandardCharsets.UTF_8)
        // What was in flight when a connection broke is not sent again: its caller asks by itself,
        // with the same token.
        .replayFilter(command -> true);
    properties.apply(builder);
    return builder;
  }

  private ClusterClientOptions clusterOptions() {
    return options(ClusterClientOptions.builder())
        .topologyRefreshOptions(
            ClusterTopologyRefreshOptions.builder()
                .enablePeriodicRefresh(TOPOLOGY_REFRESH)
                .adaptiveRefreshTriggersTimeout(ADAPTIVE_REFRESH)
                .build())
        .build();
  }

  private static List<RedisURI> parse(String uri) {
    List<RedisURI> uris;
    try {
      // The parser for several nodes passes over the database's number.
      uris =
          uri.startsWith("redis-sentinel")
                  || uri.startsWith("rediss-sentinel")
                  || !uri.contains(",")
              ? List.of(RedisURI.create(uri))
              : RedisClusterURIUtil.toRedisURIs(URI.create(uri));
    } catch (IllegalArgumentException e) {
      // Not the parser's message: it quotes the URI with its password.
      throw new IllegalArgumentException(
          "The Redis URI cannot be read: write redis://user:password@host:port/db, rediss:// for"
              + " TLS, redis-sentinel://host:port/db#master, or several host:port with commas for a"
              + " cluster");
    }
    if (uris.size() > 1 && DATABASE.matcher(uri).matches()) {
      throw new IllegalArgumentException(
          "The Redis URI names several nodes and a database: a cluster has none but 0");
    }
    return uris;
  }

  private static String address(RedisURI uri) {
    return uri.getSentinels().isEmpty()
        ? uri.getHost() + ":" + uri.getPort()
        : uri.getSentinels().stream()
            .map(one -> one.getHost() + ":" + one.getPort())
            .collect(Collectors.joining(",", "sentinel ", " master " + uri.getSentinelMasterId()));
  }
}
