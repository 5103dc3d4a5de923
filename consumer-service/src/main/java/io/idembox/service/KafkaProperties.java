package io.idembox.service;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/** Properties that are handed on to Kafka's consumer, checked by Kafka's own definitions. */
final class KafkaProperties {
  static final String BOOTSTRAP_SERVERS = "bootstrap.servers";

  private static final Map<String, ConfigDef.ConfigKey> KEYS = keys();

  static final OptionGroup GROUP =
      new OptionGroup(
          "kafka",
          new TreeSet<>(KEYS.keySet()),
          refused(),
          KafkaProperties::brokenRule,
          KEYS.values().stream()
              .filter(key -> key.type == ConfigDef.Type.PASSWORD)
              .map(key -> key.name)
              .collect(Collectors.toSet()),
          "Any property of Kafka's consumer, by Kafka's name; bootstrap.servers is required.");

  private KafkaProperties() {}

  private static Map<String, ConfigDef.ConfigKey> keys() {
    Map<String, ConfigDef.ConfigKey> keys =
        new LinkedHashMap<>(AdminClientConfig.configDef().configKeys());
    keys.putAll(ConsumerConfig.configDef().configKeys());
    return Map.copyOf(keys);
  }

  private static Map<String, String> refused() {
    String finished = "offsets are committed from finished work only";
    String decoded = "values are decoded by the subscription: set its decoder or deserializer";
    Map<String, String> refused = new LinkedHashMap<>();
    refused.put(ConsumerConfig.GROUP_ID_CONFIG, "set consumer.group-id");
    refused.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, finished);
    refused.put(
        ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG, finished + ": set consumer.commit-interval");
    refused.put(
        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
        "Kafka's reset jumps without a word: set consumer.start");
    refused.put(
        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
        "a misspelt topic must be refused, not created");
    refused.put(
        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
        "records that their producer took back must not be handled");
    refused.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, decoded);
    refused.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, decoded);
    refused.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        "a member keeps working on what it keeps only under the cooperative assignor");
    refused.put(
        ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
        "an interceptor could drop or change records before they are recorded");
    return Map.copyOf(refused);
  }

  private static @Nullable String brokenRule(String name, String value) {
    ConfigDef.ConfigKey key = KEYS.get(name);
    if (key == null) {
      return null;
    }
    try {
      Object parsed = ConfigDef.parseType(name, value, key.type);
      if (key.validator != null) {
        key.validator.ensureValid(name, parsed);
      }
      return null;
    } catch (ConfigException e) {
      // Not its message: it quotes the value, which may be a secret.
      String unit = name.endsWith(".ms") ? " (milliseconds, without a unit)" : "";
      String range = key.validator == null ? "" : ", " + key.validator;
      return "must be of Kafka's type " + key.type + unit + range;
    }
  }

  /** The most time between two polls, in milliseconds, as set or as Kafka has it. */
  static long maxPollIntervalMs(Map<String, String> given) {
    String set = given.get(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
    Object value =
        set == null
            ? ConsumerConfig.configDef()
                .defaultValues()
                .get(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG)
            : set;
    return Long.parseLong(String.valueOf(value));
  }

  static Set<String> refusedNames() {
    return GROUP.refused().keySet();
  }
}
