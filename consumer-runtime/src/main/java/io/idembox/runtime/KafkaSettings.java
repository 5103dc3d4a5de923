package io.idembox.runtime;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * The user's Kafka properties with ours: defaults where the user said nothing, refusals where a
 * property would break a promise.
 */
final class KafkaSettings {
  private static final Duration SHORT_API_TIMEOUT = Duration.ofSeconds(10);

  // Longer than a request may take; what was not delivered by then is sent anew.
  private static final Duration PRODUCER_GIVES_UP = Duration.ofSeconds(30);
  // Kafka's own defaults.
  private static final int LINGER_MS = 5;
  private static final Duration MAX_POLL_INTERVAL = Duration.ofMinutes(5);
  private static final int MAX_POLL_RECORDS = 2_000;

  // As much as Kafka's producer has memory for.
  private static final int LARGEST_REQUEST = 32 << 20;

  private final Map<String, Object> properties;

  /**
   * Checks and completes the properties.
   *
   * @throws IllegalArgumentException naming the property, the rule and the remedy
   * @throws IllegalStateException if an older client library is on the class path than is needed
   */
  KafkaSettings(Map<String, ?> given, String groupId) {
    KafkaClientVersion.check(AppInfoParser.getVersion());
    properties = new HashMap<>(given);
    if (!properties.containsKey(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG)) {
      throw new IllegalArgumentException(
          "The Kafka property bootstrap.servers is missing; give the brokers' host:port list");
    }
    ours(ConsumerConfig.GROUP_ID_CONFIG, groupId, "it is set by groupId(...) or name(...)");
    ours(
        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
        "false",
        "offsets are committed from finished work only; leave it out");
    ours(
        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
        "none",
        "Kafka's reset jumps without a word; use start(...) instead");
    ours(
        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
        "false",
        "a misspelt topic must be refused, not created; leave it out");
    ours(
        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
        "read_committed",
        "records that their producer took back must not be handled; leave it out");
    ours(
        ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
        ByteArrayDeserializer.class.getName(),
        "records are decoded by the subscription's decoder; leave it out");
    ours(
        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
        ByteArrayDeserializer.class.getName(),
        "records are decoded by the subscription's decoder; leave it out");
    if (usesClassicProtocol()) {
      ours(
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
          CooperativeStickyAssignor.class.getName(),
          "a member keeps working on what it keeps only under the cooperative assignor");
    }
    // Larger polls make larger transactions; memory is bounded by the lanes' bytes.
    properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "" + MAX_POLL_RECORDS);
    properties.putIfAbsent(
        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "" + SHORT_API_TIMEOUT.toMillis());
    properties.putIfAbsent(
        ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, "" + SHORT_API_TIMEOUT.toMillis());
  }

  private boolean usesClassicProtocol() {
    Object protocol = properties.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG);
    return protocol == null
        || GroupProtocol.CLASSIC.name().equals(protocol.toString().toUpperCase(Locale.ROOT));
  }

  /** Sets a property that must have this value, and refuses another one. */
  private void ours(String property, String value, String remedy) {
    Object given = properties.get(property);
    Object plain = given instanceof Class<?> type ? type.getName() : given;
    if (plain != null && !plain.toString().equals(value)) {
      throw new IllegalArgumentException(
          "The Kafka property "
              + property
              + " must be "
              + value
              + ", not "
              + plain
              + ": "
              + remedy);
    }
    properties.put(property, value);
  }

  /** For the consumer. */
  Map<String, Object> forConsumer() {
    return properties;
  }

  /** For an Admin client on the same brokers: what is not the consumer's alone. */
  Map<String, Object> forAdmin() {
    Map<String, Object> admin = new HashMap<>(properties);
    admin.keySet().retainAll(AdminClientConfig.configNames());
    admin.put(
        CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) SHORT_API_TIMEOUT.toMillis());
    // Kafka makes no client whose requests may take longer than what they are part of.
    admin.put(
        CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG,
        Math.min(requestTimeoutMs(), (int) SHORT_API_TIMEOUT.toMillis()));
    return admin;
  }

  /**
   * For a producer on the same brokers: what is not the consumer's alone.
   *
   * @throws IllegalArgumentException if a delivery gets less time than a request of it
   */
  Map<String, Object> forProducer() {
    Map<String, Object> producer = new HashMap<>(properties);
    producer.keySet().retainAll(ProducerConfig.configNames());
    // A consumer's interceptors are no producer's.
    producer.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
    producer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    producer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    producer.put(ProducerConfig.ACKS_CONFIG, "all");
    // How large a record may be is the topic's to say; what it has let in once gets some headers.
    producer.putIfAbsent(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LARGEST_REQUEST);
    producer.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deliveryTimeoutMs());
    producer.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, SHORT_API_TIMEOUT.toMillis());
    return producer;
  }

  private int requestTimeoutMs() {
    return number(
        CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG,
        (int) SHORT_API_TIMEOUT.toMillis(),
        "a number of milliseconds");
  }

  /** Kafka makes no producer whose deliveries end before their requests do. */
  private int deliveryTimeoutMs() {
    int request = requestTimeoutMs();
    int linger = number(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS, "a number of milliseconds");
    int least = (int) Math.min(Integer.MAX_VALUE, (long) request + linger);
    int delivery =
        number(
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            Math.max(least, (int) PRODUCER_GIVES_UP.toMillis()),
            "a number of milliseconds");
    if (delivery < least) {
      throw new IllegalArgumentException(
          "The Kafka property delivery.timeout.ms, "
              + delivery
              + ", must not be less than request.timeout.ms and linger.ms together, "
              + least);
    }
    return delivery;
  }

  /**
   * How long Kafka waits between two polls before it takes the partitions away.
   *
   * @throws IllegalArgumentException if it is set and is no number
   */
  Duration maxPollInterval() {
    return Duration.ofMillis(
        number(
            ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
            (int) MAX_POLL_INTERVAL.toMillis(),
            "a number of milliseconds"));
  }

  /**
   * How many records one poll hands out at most.
   *
   * @throws IllegalArgumentException if it is set and is no number
   */
  int maxPollRecords() {
    return number(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS, "a number of records");
  }

  /** Kafka's own type for these is int. */
  private int number(String property, int otherwise, String meaning) {
    Object given = properties.getOrDefault(property, otherwise);
    try {
      return Integer.parseInt(given.toString().trim());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "The Kafka property " + property + " must be " + meaning + ", not " + given, e);
    }
  }

  String bootstrapServers() {
    return String.valueOf(properties.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
  }
}
