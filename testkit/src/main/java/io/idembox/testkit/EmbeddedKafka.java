package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker of one node on a free loopback port: KRaft, no topics made by asking for them, no
 * wait before a group's first rebalance. It runs in this process unless {@code
 * idembox.services=containers}.
 *
 * <p>The broker's threads keep this process alive until {@link #close()}. Thread-safe.
 */
public final class EmbeddedKafka implements AutoCloseable {
  private static final Duration VISIBLE_WITHIN = Duration.ofSeconds(30);

  private final KafkaBackend backend;
  private final @Nullable FaultRelay relay;
  private @Nullable Admin admin;

  private EmbeddedKafka(KafkaBackend backend, @Nullable FaultRelay relay) {
    this.backend = backend;
    this.relay = relay;
  }

  /**
   * Starts a broker with default settings.
   *
   * @throws ServerStartException if it does not start
   */
  public static EmbeddedKafka start() {
    return builder().start();
  }

  /** A broker with settings of its own. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * {@code host:port}, the same for the whole life of this object, across {@link #restart()} too.
   */
  public String bootstrapServers() {
    return backend.bootstrapServers();
  }

  /**
   * The relay between the broker and those clients that use {@link FaultRelay#address()} as their
   * bootstrap server.
   *
   * @throws IllegalStateException if the broker was not built {@link Builder#behindRelay()}
   */
  public FaultRelay relay() {
    if (relay == null) {
      throw new IllegalStateException("This broker has no relay: build it with behindRelay()");
    }
    return relay;
  }

  /**
   * Makes a topic and returns when all its partitions have a leader.
   *
   * @throws TestkitException if the broker refuses it, as it does for a name that exists
   */
  public void createTopic(String name, int partitions) {
    createTopic(name, partitions, Map.of());
  }

  /**
   * Makes a topic with settings such as {@code retention.ms} and returns when all its partitions
   * have a leader.
   *
   * @throws TestkitException if the broker refuses it, as it does for a name that exists
   */
  public void createTopic(String name, int partitions, Map<String, String> configs) {
    NewTopic topic =
        new NewTopic(requireNonNull(name, "name"), Optional.of(partitions), Optional.of((short) 1));
    await("create topic " + name, admin().createTopics(List.of(topic.configs(configs))).all());
    if (!Pause.until(VISIBLE_WITHIN, () -> areServed(name, partitions))) {
      throw new TestkitException("Topic " + name + " is not served after " + VISIBLE_WITHIN);
    }
  }

  /**
   * Deletes a topic.
   *
   * @throws TestkitException if the broker refuses it, as it does for a name that does not exist
   */
  public void deleteTopic(String name) {
    await("delete topic " + name, admin().deleteTopics(List.of(name)).all());
  }

  // The controller answers before the broker serves the partitions. Only their leader itself
  // answers for their ends; metadata names a leader that may not know of it yet, and a producer
  // that writes in between can lose the order of its batches for good.
  private boolean areServed(String name, int partitions) {
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (int partition = 0; partition < partitions; partition++) {
      ends.put(new TopicPartition(name, partition), OffsetSpec.latest());
    }
    try {
      return admin().listOffsets(ends).all().get().size() == partitions;
    } catch (ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("Interrupted while waiting for topic " + name, e);
    }
  }

  private static <T> T await(String what, KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new TestkitException("Kafka refused to " + what + ": " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestkitException("Interrupted while waiting for Kafka to " + what, e);
    }
  }

  private synchronized Admin admin() {
    if (admin == null) {
      admin =
          Admin.create(Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()));
    }
    return admin;
  }

  /**
   * Where the broker keeps its logs: a folder for each partition, named {@code TOPIC-NUMBER}.
   *
   * @throws UnsupportedOperationException if it runs in a container
   */
  public Path dataDirectory() {
    return backend.dataDirectory();
  }

  /**
   * Stops the broker and keeps its port and data for {@link #restart()}. No effect on one that is
   * stopped.
   */
  public synchronized void stop() {
    closeAdmin();
    backend.stop();
  }

  /**
   * Stops the broker if it runs, and starts it on the same port and data.
   *
   * @throws ServerStartException if it does not start
   */
  public synchronized void restart() {
    stop();
    backend.start();
  }

  /** Stops the broker and removes its data. Idempotent. */
  @Override
  public synchronized void close() {
    closeAdmin();
    if (relay != null) {
      relay.close();
    }
    backend.close();
  }

  private void closeAdmin() {
    if (admin != null) {
      admin.close(Duration.ofSeconds(1));
      admin = null;
    }
  }

  /** Settings of a broker. Not thread-safe. */
  public static final class Builder {
    private final Map<String, String> properties = new TreeMap<>();

    private boolean behindRelay;

    private Builder() {}

    /**
     * Gives the broker a second listener behind a {@link FaultRelay}. A relay in front of the first
     * would be passed by: clients connect to the address that the broker tells them. Not in
     * containers.
     */
    public Builder behindRelay() {
      behindRelay = true;
      return this;
    }

    /**
     * Sets a broker property such as {@code group.min.session.timeout.ms}; the last word wins over
     * our defaults.
     */
    public Builder property(String name, String value) {
      properties.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
      return this;
    }

    /**
     * Starts the broker.
     *
     * @throws ServerStartException if it does not start
     */
    public EmbeddedKafka start() {
      Map<String, String> settings = BrokerDefaults.with(properties);
      int relayed = FreePorts.next();
      FaultRelay relay = behindRelay ? FaultRelay.to(relayed) : null;
      int advertised = relay == null ? 0 : relay.port();
      try {
        KafkaBackend backend =
            Services.start(
                "Kafka",
                "testcontainers-kafka",
                () ->
                    relay == null
                        ? new KRaftBroker(settings)
                        : new KRaftBroker(settings, relayed, advertised),
                () -> new ContainerBroker(settings, relay != null));
        return new EmbeddedKafka(backend, relay);
      } catch (RuntimeException | Error e) {
        if (relay != null) {
          relay.close();
        }
        throw e;
      }
    }
  }
}
