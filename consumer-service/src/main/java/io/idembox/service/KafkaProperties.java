package io.idembox.service;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SecurityConfig;
import org.jspecify.annotations.Nullable;

/** Properties that are handed on to Kafka's consumer, checked by Kafka's own definitions. */
final class KafkaProperties {
  static final String BOOTSTRAP_SERVERS = "bootstrap.servers";

  private static final Map<String, ConfigDef.ConfigKey> KEYS = keys();
  private static final Pattern CLASS_NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_.$]*");
  private static final Set<String> LISTS_OF_CLASSES =
      Set.of(
          SaslConfigs.SASL_JAAS_CONFIG,
          CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG,
          SecurityConfig.SECURITY_PROVIDERS_CONFIG);

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
    // Of share groups, of clients that ask controllers, and of nobody but Kafka itself.
    keys.keySet()
        .removeIf(
            name ->
                name.startsWith("share.")
                    || name.startsWith("internal.")
                    || name.equals(AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG));
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
    refused.put(
        ConsumerConfig.CHECK_CRCS_CONFIG,
        "a record that was damaged on its way must not be handled");
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
    if (key.type == ConfigDef.Type.CLASS) {
      // It may be a plug-in's, and those are not at hand yet: Kafka says itself that it finds none.
      return CLASS_NAME.matcher(value.strip()).matches() ? null : "must be the name of a class";
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
    return number(given, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
  }

  /** What contradicts another property: name and rule. Kafka would say so late, or never. */
  static Map<String, String> contradictions(Map<String, String> given) {
    Map<String, String> broken = new LinkedHashMap<>();
    if (isNewProtocol(given)) {
      for (String name :
          List.of(
              ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
              ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG)) {
        if (given.containsKey(name)) {
          broken.put(name, "is the brokers' to say under group.protocol consumer; leave it out");
        }
      }
    } else {
      if (given.containsKey(ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG)) {
        broken.put(
            ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
            "means something under group.protocol consumer only");
      }
      less(
          given,
          ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
          ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
          broken);
    }
    less(
        given,
        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
        ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG,
        broken);
    for (String server : given.getOrDefault(BOOTSTRAP_SERVERS, "").split(",", -1)) {
      if (given.containsKey(BOOTSTRAP_SERVERS)
          && !server.strip().matches("(?:[A-Za-z0-9_+]+://)?(?:\\[.+]|[^:/\\s]+):\\d{1,5}")) {
        broken.put(BOOTSTRAP_SERVERS, "must be host:port, several with commas between them");
      }
    }
    return broken;
  }

  /** Whether one of them may name a class that is not Kafka's own. */
  static boolean nameClasses(Map<String, String> given) {
    return given.keySet().stream()
        .anyMatch(
            name -> {
              ConfigDef.ConfigKey key = KEYS.get(name);
              return LISTS_OF_CLASSES.contains(name)
                  || (key != null && key.type == ConfigDef.Type.CLASS);
            });
  }

  /** Settings of TLS or of a login that are not in force: name and what is the case. */
  static Map<String, String> withoutForce(Map<String, String> given) {
    Map<String, String> idle = new LinkedHashMap<>();
    String protocol =
        given
            .getOrDefault(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "PLAINTEXT")
            .toUpperCase(Locale.ROOT);
    for (String name : given.keySet()) {
      boolean tls = name.startsWith("ssl.") && !protocol.endsWith("SSL");
      boolean login = name.startsWith("sasl.") && !protocol.startsWith("SASL");
      if (tls || login) {
        idle.put(name, "means nothing under security.protocol " + protocol);
      }
    }
    return idle;
  }

  private static boolean isNewProtocol(Map<String, String> given) {
    return given
        .getOrDefault(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "")
        .equalsIgnoreCase("consumer");
  }

  private static void less(
      Map<String, String> given, String name, String limit, Map<String, String> broken) {
    boolean said = given.containsKey(name) || given.containsKey(limit);
    if (said && number(given, name) >= number(given, limit)) {
      broken.put(
          given.containsKey(name) ? name : limit,
          name
              + ", "
              + number(given, name)
              + ", must be less than "
              + limit
              + ", "
              + number(given, limit));
    }
  }

  private static long number(Map<String, String> given, String name) {
    String set = given.get(name);
    return Long.parseLong(
        set == null
            ? String.valueOf(ConsumerConfig.configDef().defaultValues().get(name))
            : set.strip());
  }
}
