package io.idembox.service;

import io.idembox.effect.RedisEffectStore;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.InboxConsumerBuilder;
import io.idembox.runtime.StartRefusedException;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running process: the consumer, and what stands around it. */
final class Service implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Service.class);

  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private final PrometheusMeterRegistry meters;
  private final InboxConsumer consumer;
  private @Nullable Health health;
  private int httpPort;
  private boolean closed;
  private volatile boolean ending;

  private Service(Settings settings, Consumer<InboxConsumerBuilder> decided) {
    meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    closing.push(meters::close);
    try {
      PostgresPool.Pool pool = PostgresPool.forInbox(settings, PostgresPool.size(settings));
      closing.push(pool);
      Plugins plugins = Plugins.of(settings, meters);
      closing.push(plugins);
      InboxConsumerBuilder builder =
          new ConsumerAssembly(settings, plugins).builder(pool.dataSource(), meters);
      SkipSummary skips = new SkipSummary();
      closing.push(skips);
      builder.listener(skips);
      decided.accept(builder);
      RedisEffectStore store = RedisStores.connect(settings).orElse(null);
      if (store != null) {
        closing.push(store);
        RedisStores.refuseErrors(store);
        builder.effectStore(store);
      }
      consumer = built(settings, builder);
      Health probes =
          new Health(
              consumer, pool.dataSource(), store, DerivedValues.drain(settings), Clock.systemUTC());
      health = probes;
      if (settings.get(Options.HTTP_ENABLED)) {
        Stores stores = Stores.within(settings, pool.dataSource(), store);
        closing.push(stores);
        // Before the start, so that probes see it; closed after the consumer, so that they see its
        // end.
        HttpApi http = HttpApi.start(settings, probes, meters, consumer, stores);
        closing.push(http);
        httpPort = http.port();
      }
      closing.push(consumer);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Makes everything, and checks what can be checked without reading.
   *
   * @param decided adds what somebody has decided for this start
   * @throws ConfigurationException if a class or a combination of settings is wrong
   * @throws ServerException if Redis cannot guard effects
   */
  static Service assemble(Settings settings, Consumer<InboxConsumerBuilder> decided) {
    log.info("Configuration in force:\n{}", ConfigurationPrinter.yaml(settings).stripTrailing());
    Encryption.findings(settings)
        .forEach(found -> log.warn("{}: {}", found.what(), found.remedy()));
    return new Service(settings, decided);
  }

  static InboxConsumer built(Settings settings, InboxConsumerBuilder builder) {
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw Plugins.refused(settings, "consumer", String.valueOf(e.getMessage()));
    }
  }

  /**
   * Runs until the process is asked to end, or the consumer fails.
   *
   * @throws StartRefusedException within 10 seconds if a server cannot be used
   * @throws io.idembox.runtime.ConsumerFailedException if the consumer ended by itself
   */
  void run() throws InterruptedException {
    // The consumer stops itself on SIGTERM; what it stands on must wait for it.
    try {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    ending = true;
                    close();
                  },
                  "idembox-shutdown"));
    } catch (IllegalStateException e) {
      log.info("Asked to end before the start");
      return;
    }
    try {
      consumer.run();
    } catch (IllegalStateException | StartRefusedException e) {
      if (!ending) {
        throw e;
      }
      // Closed before it had started, or what it stands on was closed under it.
      log.info("Asked to end during the start");
    }
  }

  /** Where HTTP listens; 0 if it does not. */
  int httpPort() {
    return httpPort;
  }

  /** Closes everything, the last made first. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (health != null) {
      health.stopping();
    }
    while (!closing.isEmpty()) {
      AutoCloseable next = closing.pop();
      try {
        next.close();
      } catch (Exception e) {
        // One that does not close must not keep the others open.
        log.warn("{} did not close", next.getClass().getName(), e);
      }
    }
  }
}
