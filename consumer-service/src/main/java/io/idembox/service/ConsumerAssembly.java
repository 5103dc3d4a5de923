package io.idembox.service;

import io.idembox.effect.Effect;
import io.idembox.effect.EffectPolicy;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.inbox.PrunePolicy;
import io.idembox.runtime.BatchInboxHandler;
import io.idembox.runtime.Decoder;
import io.idembox.runtime.Decoders;
import io.idembox.runtime.InboxConsumer;
import io.idembox.runtime.InboxConsumerBuilder;
import io.idembox.runtime.InboxHandler;
import io.idembox.runtime.StartPosition;
import io.idembox.runtime.Subscription;
import io.idembox.runtime.TypeName;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.kafka.common.serialization.Deserializer;

/** Makes a consumer out of the configuration: the same one that code would build. */
final class ConsumerAssembly {
  private final Settings settings;
  private final Plugins plugins;

  ConsumerAssembly(Settings settings, Plugins plugins) {
    this.settings = settings;
    this.plugins = plugins;
  }

  /**
   * Everything but what belongs to one way of running it.
   *
   * @throws ConfigurationException if a class cannot be found, made or combined
   */
  InboxConsumerBuilder builder(DataSource dataSource, MeterRegistry meters) {
    InboxConsumerBuilder builder =
        InboxConsumer.builder()
            .name(settings.get(Options.NAME))
            .groupId(groupId(settings))
            .kafka(settings.group(Options.KAFKA))
            .dataSource(dataSource)
            .messageIds(messageIds(settings))
            .start(
                settings.get(Options.START) == Options.Start.LATEST
                    ? StartPosition.LATEST
                    : StartPosition.EARLIEST)
            .ordering(settings.get(Options.ORDERING))
            .concurrency(settings.get(Options.CONCURRENCY))
            .batchRecords(settings.get(Options.BATCH_RECORDS))
            .transactionTarget(settings.get(Options.TRANSACTION_TARGET))
            .maxAttempts(settings.get(Options.MAX_ATTEMPTS))
            .retryBackoff(
                settings.get(Options.RETRY_BACKOFF), settings.get(Options.RETRY_BACKOFF_MAX))
            .commitInterval(settings.get(Options.COMMIT_INTERVAL))
            .shutdownBudget(settings.get(Options.SHUTDOWN_BUDGET))
            .effectTimeout(settings.get(Options.EFFECT_TIMEOUT_INSIDE))
            .effectConcurrency(settings.get(Options.EFFECT_CONCURRENCY))
            .maxUnsettledEffects(settings.get(Options.MAX_UNSETTLED_EFFECTS))
            .effectAttempts(settings.get(Options.EFFECT_ATTEMPTS))
            .effectBackoff(
                settings.get(Options.EFFECT_BACKOFF), settings.get(Options.EFFECT_BACKOFF_MAX))
            .sweepInterval(settings.get(Options.SWEEP_INTERVAL))
            .meters(meters);
    if (settings.get(Options.PRUNE)) {
      builder.pruning(prunePolicy(settings));
    } else {
      builder.withoutPruning();
    }
    settings.find(Options.DEAD_LETTER_TOPIC).ifPresent(builder::deadLetterTopic);
    settings.find(Options.DRAIN_BUDGET).ifPresent(builder::drainBudget);
    settings.find(Options.IDLE_TIMEOUT).ifPresent(builder::idleInTransactionTimeout);
    settings.find(Options.EFFECT_NAMESPACE).ifPresent(builder::effectNamespace);
    if (settings.get(Options.POSTGRES_MIGRATE)) {
      builder.migrateAtStart();
    }
    List<Effect<?, ?>> effects = new ArrayList<>();
    List<Subscription> subscriptions = new ArrayList<>();
    make(effects, subscriptions);
    builder.effects(effects.toArray(Effect<?, ?>[]::new));
    subscriptions.forEach(builder::subscribe);
    return builder;
  }

  /**
   * Makes the effects, under the policies of the configuration, and the subscriptions, with new
   * instances of their handlers.
   *
   * @throws ConfigurationException with each of them that cannot be made
   */
  void make(List<Effect<?, ?>> effects, List<Subscription> subscriptions) {
    List<Problem> problems = new ArrayList<>();
    for (int i = 0; i < settings.count("effects"); i++) {
      int place = i;
      collect(problems, () -> effects.add(effect(place)));
    }
    for (int i = 0; i < settings.count("subscriptions"); i++) {
      int place = i;
      collect(problems, () -> subscriptions.add(subscription(place)));
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  private static void collect(List<Problem> problems, Runnable making) {
    try {
      making.run();
    } catch (ConfigurationException e) {
      problems.addAll(e.problems());
    }
  }

  static PrunePolicy prunePolicy(Settings settings) {
    return new PrunePolicy(
        settings.get(Options.INBOX_RETENTION),
        settings.get(Options.LETTER_RETENTION),
        PrunePolicy.DEFAULT.roundInterval(),
        PrunePolicy.DEFAULT.sliceBlocks(),
        PrunePolicy.DEFAULT.sliceRows());
  }

  static String groupId(Settings settings) {
    return settings.find(Options.GROUP_ID).orElseGet(() -> settings.get(Options.NAME));
  }

  static MessageIdResolver messageIds(Settings settings) {
    MessageIdResolver.Builder ids =
        MessageIdResolver.builder()
            .cloudEvents(settings.get(Options.ID_CLOUD_EVENTS))
            .scope(settings.get(Options.ID_SCOPE));
    if (settings.get(Options.ID_USE_HEADER)) {
      ids.header(settings.get(Options.ID_HEADER));
    } else {
      ids.noHeader();
    }
    settings.find(Options.ID_POINTER).ifPresent(ids::jsonPointer);
    settings.find(Options.ID_COPY_OF).ifPresent(ids::copyOf);
    return ids.build();
  }

  private Effect<?, ?> effect(int i) {
    Effect<?, ?> effect =
        plugins.make(
            Options.EFFECT_CLASS.key(i),
            settings.get(Options.EFFECT_CLASS, i),
            Effect.class,
            Option.at(Options.EFFECT_CONFIG.key(), i),
            settings.group(Options.EFFECT_CONFIG, i));
    return underPolicy(effect, i);
  }

  private Effect<?, ?> underPolicy(Effect<?, ?> effect, int i) {
    EffectPolicy.Builder policy = effect.policy().toBuilder();
    settings.find(Options.EFFECT_ON_UNKNOWN, i).ifPresent(policy::onUnknown);
    settings.find(Options.EFFECT_RETENTION, i).ifPresent(policy::retention);
    settings.find(Options.EFFECT_LEASE, i).ifPresent(policy::lease);
    settings.find(Options.EFFECT_TIMEOUT, i).ifPresent(policy::timeout);
    settings.find(Options.EFFECT_MAX_ATTEMPTS, i).ifPresent(policy::maxAttempts);
    try {
      return PolicyOverride.of(effect, policy.build());
    } catch (IllegalArgumentException e) {
      throw plugins.refused("effects[" + i + "]", String.valueOf(e.getMessage()));
    }
  }

  private Subscription subscription(int i) {
    Subscription subscription = unordered(i);
    if (settings.get(Options.EFFECT_ORDER, i) == Options.EffectOrder.UNORDERED) {
      return subscription;
    }
    try {
      return subscription.orderedEffects();
    } catch (IllegalArgumentException e) {
      throw plugins.refused(Options.EFFECT_ORDER.key(i), String.valueOf(e.getMessage()));
    }
  }

  private Subscription unordered(int i) {
    String[] topics = settings.get(Options.TOPICS, i).toArray(String[]::new);
    Subscription.Topics begun = Subscription.topics(topics);
    if (settings.find(Options.HANDLER, i).isPresent()) {
      Handling<?> handling =
          handling(
              new Keys(
                  Options.HANDLER,
                  Options.DECODER,
                  Options.VALUE_CLASS,
                  Options.DESERIALIZER,
                  Options.HANDLER_CONFIG,
                  Options.DESERIALIZER_PROPERTIES),
              i);
      return handling.of(begun);
    }
    String from = settings.get(Options.TYPE_FROM, i);
    Subscription subscription = begun.types(typeName(from));
    for (int j = 0; j < settings.count("subscriptions[].types", i); j++) {
      Handling<?> handling =
          handling(
              new Keys(
                  Options.TYPE_HANDLER,
                  Options.TYPE_DECODER,
                  Options.TYPE_VALUE_CLASS,
                  Options.TYPE_DESERIALIZER,
                  Options.TYPE_CONFIG,
                  Options.TYPE_DESERIALIZER_PROPERTIES),
              i,
              j);
      subscription = handling.add(subscription, settings.get(Options.TYPE_NAME, i, j));
    }
    return subscription;
  }

  private static TypeName typeName(String from) {
    if (from.startsWith("header:")) {
      return TypeName.header(from.substring("header:".length()));
    }
    return from.startsWith("json:")
        ? TypeName.jsonPointer(from.substring("json:".length()))
        : TypeName.cloudEvents();
  }

  /** The same keys stand in a subscription and in each of its types. */
  private record Keys(
      Option<String> handler,
      Option<Options.Decoding> decoder,
      Option<String> valueClass,
      Option<String> deserializer,
      OptionGroup config,
      OptionGroup deserializerProperties) {}

  /** A decoder and the handler of what it makes. */
  private record Handling<T>(Decoder<T> decoder, Object handler) {
    // Checked where it is made: the handler takes what the decoder gives.
    @SuppressWarnings("unchecked")
    Subscription of(Subscription.Topics begun) {
      return handler instanceof InboxHandler<?>
          ? begun.decodedBy(decoder, (InboxHandler<T>) handler)
          : begun.batchesDecodedBy(decoder, (BatchInboxHandler<T>) handler);
    }

    @SuppressWarnings("unchecked") // As above.
    Subscription add(Subscription subscription, String type) {
      return handler instanceof InboxHandler<?>
          ? subscription.on(type, decoder, (InboxHandler<T>) handler)
          : subscription.onBatches(type, decoder, (BatchInboxHandler<T>) handler);
    }
  }

  private Handling<?> handling(Keys keys, int... places) {
    String key = keys.handler().key(places);
    Object handler =
        plugins.make(
            key,
            settings.get(keys.handler(), places),
            Object.class,
            Option.at(keys.config().key(), places),
            settings.group(keys.config(), places));
    if (!(handler instanceof InboxHandler<?>) && !(handler instanceof BatchInboxHandler<?>)) {
      throw plugins.refused(
          key,
          "class "
              + handler.getClass().getName()
              + " implements neither InboxHandler nor BatchInboxHandler");
    }
    Optional<Class<?>> takes = taken(handler, key);
    Optional<String> deserializer = settings.find(keys.deserializer(), places);
    if (deserializer.isPresent()) {
      return new Handling<>(deserialized(deserializer.get(), keys, places), handler);
    }
    return switch (settings.find(keys.decoder(), places).orElse(Options.Decoding.JSON)) {
      case STRING -> new Handling<>(taken(Decoders.string(), String.class, takes, key), handler);
      case BYTES -> new Handling<>(taken(Decoders.bytes(), byte[].class, takes, key), handler);
      case JSON -> new Handling<>(json(takes, keys, places), handler);
    };
  }

  private Optional<Class<?>> taken(Object handler, String key) {
    try {
      return HandlerType.of(handler.getClass());
    } catch (TypeNotPresentException e) {
      throw plugins.refused(
          key, "the handler takes " + e.typeName() + ", which is in no jar of the plug-ins folder");
    }
  }

  private <T> Decoder<T> taken(
      Decoder<T> decoder, Class<T> made, Optional<Class<?>> takes, String key) {
    if (takes.isPresent() && !takes.get().isAssignableFrom(made)) {
      throw plugins.refused(
          key,
          "the handler takes "
              + takes.get().getName()
              + ", but its decoder makes "
              + made.getSimpleName());
    }
    return decoder;
  }

  private Decoder<?> json(Optional<Class<?>> takes, Keys keys, int... places) {
    Optional<String> named = settings.find(keys.valueClass(), places);
    if (named.isPresent()) {
      String key = keys.valueClass().key(places);
      Class<?> type = plugins.load(key, named.get());
      if (takes.isPresent() && !takes.get().isAssignableFrom(type)) {
        throw plugins.refused(
            key, "the handler takes " + takes.get().getName() + ", not " + type.getName());
      }
      return Decoders.json(type);
    }
    return Decoders.json(
        takes.orElseThrow(
            () ->
                plugins.refused(
                    keys.handler().key(places),
                    "its class does not tell which values it takes; set "
                        + keys.valueClass().key(places))));
  }

  private Decoder<?> deserialized(String className, Keys keys, int... places) {
    String key = keys.deserializer().key(places);
    Deserializer<?> deserializer =
        plugins.make(
            key,
            className,
            Deserializer.class,
            Option.at(keys.deserializerProperties().key(), places),
            Map.of());
    try {
      deserializer.configure(settings.group(keys.deserializerProperties(), places), false);
    } catch (RuntimeException e) {
      throw plugins.refused(key, "it refuses its properties with " + e.getClass().getSimpleName());
    }
    return Decoders.kafka(deserializer);
  }
}
