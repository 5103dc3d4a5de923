package io.idembox.effect;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Keeps effects in Redis 6.2 or later: a server, a Sentinel's master, or a cluster. One shared
 * connection; each change is one Lua script.
 *
 * <p>Thread-safe. While Redis cannot be reached, commands fail at once; the connection comes back
 * by itself.
 */
public final class RedisEffectStore implements EffectStore {
  public static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(2);

  private static final ByteArrayCodec CODEC = ByteArrayCodec.INSTANCE;

  private final RedisLink link;
  private final Duration commandTimeout;
  private final Set<String> accepted;
  private final ScriptCalls scripts;
  private final ConcurrentMap<String, RedisKeys> namespaces = new ConcurrentHashMap<>();
  private final List<Runnable> reconnectListeners = new CopyOnWriteArrayList<>();

  private RedisEffectStore(RedisLink link, Duration commandTimeout, Set<String> accepted) {
    this.link = link;
    this.commandTimeout = commandTimeout;
    this.accepted = accepted;
    this.scripts = new ScriptCalls(link, this::keys);
    link.client().addListener(new Reconnects());
  }

  /**
   * Connects with the default options; as {@code builder(uri).connect()}.
   *
   * @throws EffectStoreException if Redis cannot be reached within ten seconds; the message names
   *     host and port
   * @throws IllegalArgumentException if the URI cannot be read
   */
  public static RedisEffectStore connect(String uri) {
    return builder(uri).connect();
  }

  /**
   * Starts with where Redis is: {@code redis://user:password@host:port/db}, {@code rediss://} for
   * TLS, {@code redis-sentinel://host:port/db#master}; of a cluster one node, or several with
   * commas.
   */
  public static Builder builder(String uri) {
    return new Builder(uri);
  }

  @Override
  public CompletionStage<StoreReply> apply(StoreCommand command) {
    return scripts.apply(command);
  }

  @Override
  public List<CompletionStage<StoreReply>> applyAll(List<? extends StoreCommand> commands) {
    return scripts.applyAll(commands);
  }

  @Override
  public CompletionStage<List<Optional<EffectRecord>>> lookUp(List<EffectId> ids) {
    if (ids.isEmpty()) {
      return CompletableFuture.completedStage(List.of());
    }
    byte[][] keys = new byte[ids.size()][];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = RedisKeys.record(ids.get(i).hash());
    }
    return mapped(read(keys), RedisEffectStore::decode);
  }

  private static List<Optional<EffectRecord>> decode(List<byte @Nullable []> stored) {
    List<Optional<EffectRecord>> found = new ArrayList<>(stored.size());
    for (byte[] bytes : stored) {
      found.add(bytes == null ? Optional.empty() : Optional.of(EffectRecord.decode(bytes)));
    }
    return found;
  }

  CompletionStage<List<byte @Nullable []>> read(byte[][] keys) {
    if (link.cluster()) {
      // The client asks each slot's master for its share.
      return link.async()
          .mget(keys)
          .thenApply(
              pairs -> {
                List<byte @Nullable []> values = new ArrayList<>(pairs.size());
                pairs.forEach(pair -> values.add(pair.getValueOrElse(null)));
                return values;
              });
    }
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(CODEC).addKeys(keys);
    return dispatched(CommandType.MGET, new RedisBytesOutput(CODEC), args);
  }

  @Override
  public CompletionStage<List<EffectRecord>> unsettled(String namespace) {
    List<CompletableFuture<List<EffectRecord>>> buckets = new ArrayList<>();
    for (byte[] index : keys(namespace).allIndexes()) {
      CompletionStage<List<byte @Nullable []>> members =
          dispatched(
              CommandType.SMEMBERS,
              new RedisBytesOutput(CODEC),
              new CommandArgs<>(CODEC).addKey(index));
      buckets.add(
          members
              .thenCompose(
                  found ->
                      found.isEmpty()
                          ? CompletableFuture.completedStage(List.<byte @Nullable []>of())
                          : read(found.toArray(byte[][]::new)))
              .thenApply(RedisEffectStore::unsettledOf)
              .toCompletableFuture());
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(buckets.toArray(CompletableFuture[]::new));
    return mapped(
        all.thenApply(
            done -> {
              List<EffectRecord> records = new ArrayList<>();
              buckets.forEach(bucket -> records.addAll(bucket.join()));
              return records;
            }),
        records -> records);
  }

  private static List<EffectRecord> unsettledOf(List<byte @Nullable []> stored) {
    List<EffectRecord> records = new ArrayList<>();
    for (byte[] bytes : stored) {
      if (bytes != null) {
        EffectRecord record = EffectRecord.decode(bytes);
        if (record.unsettled()) {
          records.add(record);
        }
      }
    }
    return records;
  }

  @Override
  public CompletionStage<Integer> sweep(String namespace) {
    return new RedisSweep(this, link, namespace).start();
  }

  @Override
  public CompletionStage<StoreMarker> marker(String namespace) {
    UUID id = UUID.randomUUID();
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(CODEC)
            .add(RedisScript.MARKER.text(link.scriptFlags()).source())
            .add(1)
            .addKey(keys(namespace).marker())
            .add(
                ByteBuffer.allocate(16)
                    .putLong(id.getMostSignificantBits())
                    .putLong(id.getLeastSignificantBits())
                    .array());
    return mapped(
        dispatched(CommandType.EVAL, new ByteArrayOutput<>(CODEC), args),
        bytes -> {
          ByteBuffer in = ByteBuffer.wrap(bytes);
          UUID stored = new UUID(in.getLong(7), in.getLong(15));
          return new StoreMarker(
              stored.toString(), Instant.ofEpochMilli(RecordFormat.millis(in, 1)), bytes[0] == '1');
        });
  }

  @Override
  public void onReconnect(Runnable listener) {
    reconnectListeners.add(listener);
  }

  @Override
  public Duration commandTimeout() {
    return commandTimeout;
  }

  @Override
  public List<StoreFinding> check() {
    return new RedisCheck(link, commandTimeout, accepted).findings();
  }

  @Override
  public void close() {
    link.close();
  }

  private RedisKeys keys(String namespace) {
    return namespaces.computeIfAbsent(namespace, RedisKeys::new);
  }

  private <T> CompletionStage<T> dispatched(
      CommandType type, CommandOutput<byte[], byte[], T> output, CommandArgs<byte[], byte[]> args) {
    AsyncCommand<byte[], byte[], T> command = new AsyncCommand<>(new Command<>(type, output, args));
    link.dispatch(command);
    return command;
  }

  private <S, T> CompletionStage<T> mapped(
      CompletionStage<S> stage, java.util.function.Function<S, T> map) {
    CompletableFuture<T> result = new CompletableFuture<>();
    var unused =
        stage.whenComplete(
            (value, failure) -> {
              if (failure != null) {
                result.completeExceptionally(link.failed(failure));
                return;
              }
              try {
                result.complete(map.apply(value));
              } catch (RuntimeException e) {
                result.completeExceptionally(RedisErrors.of(e, link.where()));
              }
            });
    return result;
  }

  private final class Reconnects implements RedisConnectionStateListener {
    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
      reconnectListeners.forEach(Runnable::run);
    }
  }

  /** Collects a store's settings; not thread-safe. */
  public static final class Builder {
    private final String uri;
    private Duration commandTimeout = DEFAULT_COMMAND_TIMEOUT;
    private Set<String> accepted = Set.of();
    private RedisTls tls = RedisTls.DEFAULT;
    private final ClientProperties properties = new ClientProperties();
    private @Nullable SentinelLogin sentinelLogin;

    private Builder(String uri) {
      this.uri = uri;
    }

    /**
     * How long one command may take: 10 ms to 60 s, default 2 s. Leases have to be three times as
     * long. Too short, and a slow moment of Redis stops effects; too long, and callers hang with
     * it.
     */
    public Builder commandTimeout(Duration commandTimeout) {
      this.commandTimeout = commandTimeout;
      return this;
    }

    /**
     * Findings of {@link RedisEffectStore#check()} that are known and taken: their errors become
     * warnings, such as {@code "redis.eviction"} where nothing else can be had.
     */
    public Builder accept(String... codes) {
      this.accepted = Set.of(codes);
      return this;
    }

    /**
     * The authorities that are trusted over TLS, as a PEM file; default those of the JVM. For a
     * {@code rediss} URI. {@code ?verifyPeer=CA} in it passes over the host's name.
     *
     * @throws IllegalArgumentException if the file cannot be read
     */
    public Builder trustedCertificates(Path pem) {
      this.tls = new RedisTls(requireNonNull(pem, "pem"), tls.certificate(), tls.key());
      return this;
    }

    /**
     * A certificate of our own, for a server that asks for one, with its key in PKCS #8 and without
     * a password; both PEM files. For a {@code rediss} URI.
     *
     * @throws IllegalArgumentException if a file cannot be read
     */
    public Builder clientCertificate(Path certificate, Path key) {
      this.tls =
          new RedisTls(
              tls.trusted(),
              requireNonNull(certificate, "certificate"),
              requireNonNull(key, "key"));
      return this;
    }

    /**
     * Sets a property of the Redis client (Lettuce), by its name: one of {@link #clientProperties}.
     * Those that a promise rests on are not among them.
     *
     * @throws IllegalArgumentException if there is no such property, or its value cannot be
     */
    public Builder clientProperty(String name, String value) {
      properties.set(requireNonNull(name, "name"), requireNonNull(value, "value"));
      return this;
    }

    /** The properties of the client that can be set: times in milliseconds. */
    public static Set<String> clientProperties() {
      return ClientProperties.names();
    }

    /**
     * The rule that a value of such a property breaks; empty if it can be set.
     *
     * @throws IllegalArgumentException if there is no such property
     */
    public static Optional<String> brokenRule(String name, String value) {
      return ClientProperties.brokenRule(name, value);
    }

    /**
     * The password of the Sentinels' default user; the URI's is that of master and replicas.
     * Without it they are asked without a password.
     */
    public Builder sentinelPassword(String password) {
      this.sentinelLogin = new SentinelLogin(null, requireNonNull(password, "password"));
      return this;
    }

    /** As {@link #sentinelPassword}, for a user of the Sentinels' own access list. */
    public Builder sentinelCredentials(String user, String password) {
      this.sentinelLogin =
          new SentinelLogin(requireNonNull(user, "user"), requireNonNull(password, "password"));
      return this;
    }

    /**
     * Connects.
     *
     * @throws EffectStoreException if Redis cannot be reached within ten seconds; the message names
     *     host and port
     * @throws IllegalArgumentException if the URI cannot be read, a value is out of its range, or
     *     there is a login for Sentinels and no Sentinel
     */
    public RedisEffectStore connect() {
      if (commandTimeout.compareTo(Duration.ofMillis(10)) < 0
          || commandTimeout.compareTo(Duration.ofMinutes(1)) > 0) {
        throw new IllegalArgumentException(
            "RedisEffectStore has commandTimeout "
                + commandTimeout
                + ": allowed are 10 ms to 60 s");
      }
      return new RedisEffectStore(
          new RedisConnector(uri, commandTimeout, tls, properties, sentinelLogin).connect(),
          commandTimeout,
          accepted);
    }
  }
}
