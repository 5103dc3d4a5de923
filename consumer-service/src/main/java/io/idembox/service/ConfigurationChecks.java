package io.idembox.service;

import io.idembox.inbox.IdScope;
import io.idembox.runtime.Ordering;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Relations between values. Each is a setting that would otherwise not be in force, or a hang. */
final class ConfigurationChecks {
  private final Settings settings;
  private final List<Problem> problems = new ArrayList<>();

  ConfigurationChecks(Settings settings) {
    this.settings = settings;
  }

  List<Problem> problems() {
    each(
        this::brokers,
        this::kafka,
        this::drain,
        this::idle,
        () -> backoff(Options.RETRY_BACKOFF, Options.RETRY_BACKOFF_MAX),
        () -> backoff(Options.EFFECT_BACKOFF, Options.EFFECT_BACKOFF_MAX),
        this::pool,
        this::driver,
        this::copy,
        this::header,
        this::pointer,
        this::redis,
        this::certificates,
        () -> TlsFiles.ofKafka(settings).forEach(this::problem),
        () -> TlsFiles.ofPostgres(settings).forEach(this::problem),
        () -> TlsFiles.ofRedis(settings).forEach(this::problem),
        this::sentinels,
        this::guard,
        this::plugins,
        this::topics,
        this::letters);
    for (int i = 0; i < settings.count("effects"); i++) {
      int place = i;
      each(() -> effect(place));
    }
    each(this::effectsOnce);
    for (int i = 0; i < settings.count("subscriptions"); i++) {
      int place = i;
      each(() -> handlers(place), () -> effectOrder(place), () -> decoders(place));
    }
    return problems;
  }

  private static void each(Runnable... checks) {
    for (Runnable check : checks) {
      one(check);
    }
  }

  private static void one(Runnable check) {
    try {
      check.run();
    } catch (UnsettledValueException e) {
      // A relation means nothing while one of its sides is wrong by itself.
      return;
    }
  }

  private void topics() {
    if (settings.count("subscriptions") == 0) {
      problem(
          "subscriptions", "there is none: name topics and the handler of their records in a list");
    }
    Map<String, Integer> seen = new HashMap<>();
    for (int i = 0; i < settings.count("subscriptions"); i++) {
      for (String topic : settings.get(Options.TOPICS, i)) {
        Integer before = seen.putIfAbsent(topic, i);
        if (before != null) {
          problem(
              Options.TOPICS.key(i),
              "topic "
                  + topic
                  + " is in subscriptions["
                  + before
                  + "] too; leave it in one of them");
        }
      }
    }
  }

  private void letters() {
    String topic = settings.find(Options.DEAD_LETTER_TOPIC).orElse("");
    for (int i = 0; i < settings.count("subscriptions"); i++) {
      if (settings.get(Options.TOPICS, i).contains(topic)) {
        problem(
            Options.DEAD_LETTER_TOPIC.key(),
            topic + " is read by subscriptions[" + i + "] too: its letters would come again");
      }
    }
  }

  private void brokers() {
    if (!settings.group(Options.KAFKA).containsKey(KafkaProperties.BOOTSTRAP_SERVERS)) {
      problem(
          "kafka." + KafkaProperties.BOOTSTRAP_SERVERS,
          "is required and missing; give the brokers as host:port, with commas between them");
    }
  }

  private void kafka() {
    KafkaProperties.contradictions(settings.group(Options.KAFKA))
        .forEach((name, rule) -> problem("kafka." + name, rule));
  }

  private void driver() {
    PostgresProperties.contradictions(settings).forEach(this::problem);
  }

  private void drain() {
    Map<String, String> kafka = settings.group(Options.KAFKA);
    Duration poll = Duration.ofMillis(KafkaProperties.maxPollIntervalMs(kafka));
    settings
        .find(Options.DRAIN_BUDGET)
        .filter(drain -> drain.compareTo(poll) >= 0)
        .ifPresent(
            drain ->
                problem(
                    Options.DRAIN_BUDGET.key(),
                    Durations.text(drain)
                        + " must be less than kafka.max.poll.interval.ms, "
                        + Durations.text(poll)
                        + ": the group throws a member out that takes longer"));
  }

  private void idle() {
    Duration effect = settings.get(Options.EFFECT_TIMEOUT_INSIDE);
    settings
        .find(Options.IDLE_TIMEOUT)
        .filter(idle -> idle.compareTo(effect) <= 0)
        .ifPresent(
            idle ->
                problem(
                    Options.IDLE_TIMEOUT.key(),
                    Durations.text(idle)
                        + " must be more than consumer.effect-timeout, "
                        + Durations.text(effect)));
  }

  private void pool() {
    int concurrency = settings.get(Options.CONCURRENCY);
    settings
        .find(Options.POSTGRES_POOL_SIZE)
        .filter(size -> size < concurrency + 2)
        .ifPresent(
            size ->
                problem(
                    Options.POSTGRES_POOL_SIZE.key(),
                    size
                        + " must be at least consumer.concurrency + 2, "
                        + (concurrency + 2)
                        + ": else batches wait for each other's connections"));
  }

  private void copy() {
    boolean copy = settings.find(Options.ID_COPY_OF).isPresent();
    if (copy && settings.get(Options.ID_SCOPE) == IdScope.CONSUMER) {
      problem(
          Options.ID_COPY_OF.key(),
          "means nothing with message-id.scope consumer, where ids reach over all topics; leave one"
              + " out");
    }
    Set<String> read = new TreeSet<>();
    for (int i = 0; i < settings.count("subscriptions"); i++) {
      read.addAll(settings.get(Options.TOPICS, i));
    }
    settings
        .find(Options.ID_COPY_OF)
        .filter(of -> read.equals(Set.of(of)))
        .ifPresent(
            of ->
                problem(
                    Options.ID_COPY_OF.key(),
                    "is the only topic that is read; it is for topics that hold its copies"));
  }

  private void header() {
    if (!settings.get(Options.ID_USE_HEADER)
        && settings.written().containsKey(Options.ID_HEADER.key())) {
      problem(
          Options.ID_HEADER.key(), "means nothing with message-id.use-header false; leave one out");
    }
  }

  private void pointer() {
    settings
        .find(Options.ID_POINTER)
        .filter(pointer -> !pointer.startsWith("/"))
        .ifPresent(
            pointer ->
                problem(Options.ID_POINTER.key(), "must be a JSON pointer such as /event/id"));
  }

  private void redis() {
    boolean uri = settings.find(Options.REDIS_URI).isPresent();
    for (Option<?> option :
        List.of(
            Options.REDIS_USER,
            Options.REDIS_PASSWORD,
            Options.SENTINEL_USER,
            Options.SENTINEL_PASSWORD,
            Options.REDIS_ACCEPT,
            Options.REDIS_TRUSTED,
            Options.REDIS_CERTIFICATE,
            Options.REDIS_KEY)) {
      if (!uri && settings.find(option).isPresent()) {
        problem(option.key(), "means nothing without redis.uri");
      }
    }
    if (settings.find(Options.REDIS_USER).isPresent()
        && settings.find(Options.REDIS_PASSWORD).isEmpty()) {
      problem(Options.REDIS_USER.key(), "needs redis.password too");
    }
  }

  private void sentinels() {
    boolean password = settings.find(Options.SENTINEL_PASSWORD).isPresent();
    if (settings.find(Options.SENTINEL_USER).isPresent() && !password) {
      problem(Options.SENTINEL_USER.key(), "needs redis.sentinel-password too");
    }
    if (password
        && settings.find(Options.REDIS_URI).filter(uri -> !uri.contains("-sentinel")).isPresent()) {
      problem(Options.SENTINEL_PASSWORD.key(), "means something with a redis-sentinel URI only");
    }
  }

  private void certificates() {
    if (settings.find(Options.REDIS_CERTIFICATE).isPresent()
        != settings.find(Options.REDIS_KEY).isPresent()) {
      problem(Options.REDIS_CERTIFICATE.key(), "and redis.client-key need each other; set both");
    }
    boolean plain =
        settings.find(Options.REDIS_URI).filter(to -> !to.startsWith("rediss")).isPresent();
    if (plain
        && (settings.find(Options.REDIS_TRUSTED).isPresent()
            || settings.find(Options.REDIS_CERTIFICATE).isPresent())) {
      problem(Options.REDIS_URI.key(), "must begin with rediss for certificates to mean something");
    }
  }

  private void guard() {
    if (settings.count("effects") > 0 && settings.find(Options.REDIS_URI).isEmpty()) {
      problem("effects", "need a guard: set redis.uri");
    }
  }

  private void effect(int i) {
    Duration least = settings.get(Options.REDIS_COMMAND_TIMEOUT).multipliedBy(3);
    Duration lease = settings.find(Options.EFFECT_LEASE, i).orElse(null);
    Duration retention = settings.find(Options.EFFECT_RETENTION, i).orElse(null);
    if (lease != null && lease.compareTo(least) < 0) {
      problem(
          Options.EFFECT_LEASE.key(i),
          Durations.text(lease)
              + " must be at least three times redis.command-timeout, "
              + Durations.text(least));
    }
    if (lease != null && retention != null && retention.compareTo(lease) <= 0) {
      problem(
          Options.EFFECT_RETENTION.key(i),
          Durations.text(retention) + " must be more than the lease, " + Durations.text(lease));
    }
  }

  private void effectsOnce() {
    Map<String, Integer> seen = new HashMap<>();
    for (int i = 0; i < settings.count("effects"); i++) {
      Integer before = seen.putIfAbsent(settings.get(Options.EFFECT_CLASS, i), i);
      if (before != null) {
        problem(Options.EFFECT_CLASS.key(i), "is the class of effects[" + before + "] too");
      }
    }
  }

  private void backoff(Option<Duration> firstPause, Option<Duration> longest) {
    Duration first = settings.get(firstPause);
    Duration most = settings.get(longest);
    if (first.compareTo(most) > 0) {
      problem(
          firstPause.key(),
          Durations.text(first)
              + " must not be more than "
              + longest.key()
              + ", "
              + Durations.text(most));
    }
  }

  private void plugins() {
    boolean url = settings.find(Options.PLUGINS_URL).isPresent();
    for (Option<?> option : List.of(Options.PLUGINS_USER, Options.PLUGINS_PASSWORD)) {
      if (!url && settings.find(option).isPresent()) {
        problem(option.key(), "means nothing without plugins.data-source.url");
      }
    }
  }

  private void handlers(int i) {
    boolean handler = settings.find(Options.HANDLER, i).isPresent();
    int types = settings.count("subscriptions[].types", i);
    String here = "subscriptions[" + i + "]";
    if (handler == types > 0) {
      problem(
          here + ".handler",
          handler
              ? "is set beside types; leave one out"
              : "is missing: set a handler for all records, or types with theirs");
    }
    if (types > 0 && settings.find(Options.TYPE_FROM, i).isEmpty()) {
      problem(
          here + ".type-from", "is required with types: header:NAME, cloud-events or json:POINTER");
    }
    if (types == 0 && settings.find(Options.TYPE_FROM, i).isPresent()) {
      problem(here + ".type-from", "means nothing without types");
    }
    settings
        .find(Options.TYPE_FROM, i)
        .filter(from -> !from.equals("cloud-events") && !from.matches("header:.+|json:/.*"))
        .ifPresent(
            from ->
                problem(
                    here + ".type-from",
                    "must be header:NAME, cloud-events or json:POINTER, such as json:/type"));
  }

  private void effectOrder(int i) {
    if (settings.get(Options.EFFECT_ORDER, i) == Options.EffectOrder.ORDERED
        && settings.get(Options.ORDERING) == Ordering.NONE) {
      problem(
          Options.EFFECT_ORDER.key(i),
          "ordered needs consumer.ordering partition or key: under none the records of a key have"
              + " no order themselves");
    }
  }

  private void decoders(int i) {
    int types = settings.count("subscriptions[].types", i);
    decoding(Options.DECODER, Options.DESERIALIZER, Options.VALUE_CLASS, i);
    Map<String, Integer> names = new HashMap<>();
    for (int j = 0; j < types; j++) {
      Integer before = names.putIfAbsent(settings.get(Options.TYPE_NAME, i, j), j);
      if (before != null) {
        problem(Options.TYPE_NAME.key(i, j), "is the name of types[" + before + "] too");
      }
      decoding(Options.TYPE_DECODER, Options.TYPE_DESERIALIZER, Options.TYPE_VALUE_CLASS, i, j);
    }
    if (types > 0
        && (settings.find(Options.DECODER, i).isPresent()
            || settings.find(Options.DESERIALIZER, i).isPresent()
            || settings.find(Options.VALUE_CLASS, i).isPresent())) {
      problem(
          "subscriptions[" + i + "]",
          "has types: set decoder, deserializer and value-class in each of them");
    }
  }

  private void decoding(
      Option<Options.Decoding> decoder,
      Option<String> deserializer,
      Option<String> valueClass,
      int... places) {
    Options.Decoding chosen = settings.find(decoder, places).orElse(null);
    boolean foreign = settings.find(deserializer, places).isPresent();
    if (foreign && chosen != null) {
      problem(deserializer.key(places), "is set beside a decoder; leave one out");
    }
    boolean json = !foreign && (chosen == null || chosen == Options.Decoding.JSON);
    if (!json && settings.find(valueClass, places).isPresent()) {
      problem(valueClass.key(places), "means something for JSON only; leave it out");
    }
  }

  private void problem(String key, String rule) {
    String place =
        settings.written().containsKey(key) ? settings.origin(key).place() : firstPlace(key);
    problems.add(new Problem(place, key, rule));
  }

  /** A line of the section that the key would stand in, if the section is there. */
  private String firstPlace(String key) {
    return settings.written().entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(key))
        .findFirst()
        .map(entry -> entry.getValue().origin().place())
        .orElse("");
  }
}
