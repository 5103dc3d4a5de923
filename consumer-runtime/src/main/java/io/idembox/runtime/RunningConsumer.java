package io.idembox.runtime;

import io.idembox.effect.MicrometerEffectMetrics;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.DeadLetters;
import io.idembox.inbox.InboxPartition;
import io.idembox.inbox.PrunePolicy;
import io.idembox.inbox.RegisteredConsumer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A started consumer: its connections, its threads, and the order in which they end. */
final class RunningConsumer {
  private static final Logger log = LoggerFactory.getLogger(RunningConsumer.class);
  private static final Duration LAST_COMMIT = Duration.ofSeconds(3);
  private static final int KAFKA_LIMIT_S = 10;

  private final ConsumerSettings settings;
  private final Servers servers;
  private final Handling handling;
  private final @Nullable LetterRelay relay;
  private final AdminTopics topics;
  private final ExecutorService progressThread;
  private final @Nullable Pruning pruning;
  private final PollLoop loop;
  private boolean closed;
  private volatile @Nullable Deadline closing;

  private RunningConsumer(
      ConsumerSettings settings,
      Servers servers,
      Handling handling,
      RegisteredConsumer registered,
      Consumer<byte[], byte[]> kafka,
      AdminTopics topics) {
    this.settings = settings;
    this.servers = servers;
    this.handling = handling;
    this.topics = topics;
    ConsumerInbox inbox = handling.inbox();
    String relayTopic = settings.deadLetterTopic();
    this.relay =
        relayTopic == null
            ? null
            : new LetterRelay(
                settings.name(),
                relayTopic,
                inbox.deadLetters(),
                settings.kafka().forProducer(),
                handling.metrics());
    this.progressThread =
        Executors.newSingleThreadExecutor(Threads.platform(settings.name() + "-progress-"));
    this.loop =
        new PollLoop(
            kafka,
            settings.routes().topics(),
            new StartRules(
                settings.start(),
                servers.topicIds(),
                registered.installationId(),
                settings.adoptOffsets()),
            settings.budgets(),
            settings.laneLimits(),
            new PollLoop.Surroundings(
                topics,
                new AsyncProgress(
                    inbox.progress(), inbox::topicId, UUID.randomUUID(), progressThread),
                topics,
                inbox::heartbeat,
                handling.pool(),
                handling.metrics(),
                settings.listener()));
    PrunePolicy policy = settings.prunePolicy();
    this.pruning =
        policy == null
            ? null
            : new Pruning(settings.name(), inbox.pruner(policy), this::subscribedPartitions);
  }

  /**
   * Checks the servers and starts the threads.
   *
   * @throws StartRefusedException as {@link InboxConsumer#start()}
   */
  static RunningConsumer start(ConsumerSettings settings) {
    Servers servers = Servers.check(settings);
    Deque<Runnable> undo = new ArrayDeque<>();
    undo.push(servers::close);
    RunningConsumer consumer;
    try {
      // First of all, since it checks Kafka's own settings and leaves nothing behind.
      Consumer<byte[], byte[]> kafka = new KafkaConsumer<>(settings.kafka().forConsumer());
      undo.push(() -> kafka.close(CloseOptions.timeout(Duration.ZERO)));
      consumer = assemble(settings, servers, kafka, undo);
    } catch (RuntimeException e) {
      undo.forEach(Runnable::run);
      throw new StartRefusedException(
          "Consumer " + settings.name() + " does not start: " + Causes.told(e), e);
    }
    consumer.handling.start();
    consumer.handling.sweep();
    if (consumer.relay != null) {
      consumer.relay.start();
    }
    consumer.startPruning();
    new Thread(consumer.loop, settings.name() + "-poll").start();
    return consumer;
  }

  private void startPruning() {
    if (pruning == null) {
      return;
    }
    pruning.start();
    Duration kept = Objects.requireNonNull(settings.prunePolicy()).inboxRetention();
    CompletableFuture<?> unused =
        topics
            .retentions(settings.routes().topics())
            .thenAccept(retentions -> RetentionCheck.tell(retentions, kept))
            .exceptionally(
                e -> {
                  log.warn(
                      "The topics' retention cannot be compared with the inbox's of {}: {}",
                      kept,
                      Causes.summary(e));
                  return null;
                });
  }

  /** All partitions of all topics, whoever reads them. */
  private Collection<InboxPartition> subscribedPartitions() throws InterruptedException {
    Map<String, AdminTopics.Topic> now;
    try {
      now = topics.topics(settings.routes().topics()).get(KAFKA_LIMIT_S, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("Kafka does not say what partitions there are", e);
    }
    List<InboxPartition> partitions = new ArrayList<>();
    now.forEach(
        (name, topic) -> {
          int row = handling.inbox().topicId(topic.id(), name);
          for (int number = 0; number < topic.partitions(); number++) {
            partitions.add(new InboxPartition(row, number));
          }
        });
    return partitions;
  }

  private static RunningConsumer assemble(
      ConsumerSettings settings,
      Servers servers,
      Consumer<byte[], byte[]> kafka,
      Deque<Runnable> undo) {
    RegisteredConsumer registered = servers.register(settings);
    UUID here = registered.installationId();
    Optional<UUID> other = servers.topicIds().otherInstallation(here);
    if (other.isPresent() && !settings.adoptOffsets()) {
      throw new OffsetsOfAnotherInstallationException(other.get(), here);
    }
    Handling handling =
        Handling.assemble(
            settings.name(),
            settings,
            servers,
            registered,
            settings.listener(),
            MicrometerEffectMetrics.of(settings.meters()));
    undo.push(() -> handling.close(Deadline.in(Duration.ZERO)));
    AdminTopics topics = new AdminTopics(Admin.create(settings.kafka().forAdmin()));
    undo.push(topics::close);
    RunningConsumer consumer =
        new RunningConsumer(settings, servers, handling, registered, kafka, topics);
    log.info(
        "Consumer {} (group {}) starts; its effects are in the namespace {}",
        registered.name(),
        registered.groupId(),
        registered.namespace());
    if (settings.start().equals(StartPosition.LATEST)) {
      log.warn(
          "Consumer {} has start LATEST: at its first start it passes over all records that its"
              + " topics hold, and counts them as jumped",
          registered.name());
    }
    return consumer;
  }

  ConsumerStatus status() {
    return loop.status();
  }

  boolean pause(TopicPartition partition, String why) {
    if (!loop.owns(partition)) {
      return false;
    }
    loop.pauses().pause(partition, why);
    log.warn("{} is paused by an operator: {}", partition, why);
    return true;
  }

  boolean resume(TopicPartition partition) {
    boolean resumed = loop.pauses().resume(partition);
    if (resumed) {
      log.warn("{} is resumed by an operator", partition);
    }
    return resumed;
  }

  Set<String> slowedEffects() {
    return handling.slowedEffects();
  }

  DeadLetters deadLetters() {
    return handling.inbox().deadLetters();
  }

  LetterRetries letterRetries() {
    return handling.letters();
  }

  long unsettledEffects() {
    return handling.inbox().journal().unfinished();
  }

  /**
   * Waits until the poll loop ends.
   *
   * @throws ConsumerFailedException if it ended though nobody asked for it
   */
  void awaitEnd() throws InterruptedException {
    while (!loop.awaitEnd(Duration.ofDays(1))) {
      log.debug("Still running");
    }
    Throwable fatal = loop.fatal();
    if (fatal != null) {
      throw new ConsumerFailedException(settings.name(), fatal);
    }
  }

  /** Stops everything, in the order in which one needs the other. May be called again. */
  synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    Deadline deadline = Deadline.in(settings.budgets().shutdown());
    closing = deadline;
    log.info("Consumer {} is stopping", settings.name());
    handling.stopEffects();
    loop.stop(deadline);
    try {
      boolean ended = loop.awaitEnd(deadline.part());
      while (!ended && !deadline.left().isZero()) {
        ended = loop.awaitEnd(deadline.part());
      }
      // What is finished is committed after what runs was given up: that takes a moment more.
      if (!ended && !loop.awaitEnd(LAST_COMMIT)) {
        log.warn("The poll loop of consumer {} did not end in time", settings.name());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (pruning != null) {
      pruning.close(deadline.left());
    }
    if (relay != null) {
      relay.close();
    }
    topics.close();
    progressThread.shutdown();
    handling.close(deadline);
    servers.close();
    log.info("Consumer {} stopped", settings.name());
  }

  /**
   * Waits no longer for what runs: a close that is under way commits what is finished and ends.
   * Does nothing before it.
   */
  void hurry() {
    Deadline now = closing;
    if (now != null) {
      log.warn("Consumer {} is asked again to stop, and waits no longer", settings.name());
      now.bringForward(Duration.ZERO);
    }
  }
}
