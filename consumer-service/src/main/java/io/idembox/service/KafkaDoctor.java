package io.idembox.service;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.StoreFinding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** Kafka: reachable, the topics, their retention, the group, and whose cluster it is. */
final class KafkaDoctor {
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  private final Stores stores;
  private final EffectCatalog effects;
  private final KafkaView kafka;
  private final List<Finding> findings = new ArrayList<>();

  KafkaDoctor(Stores stores, EffectCatalog effects) {
    this.stores = stores;
    this.effects = effects;
    this.kafka = new KafkaView(stores);
  }

  List<Finding> findings() {
    String cluster = kafka.clusterId();
    findings.add(
        Finding.ok(
            "kafka.reachable", "cluster " + cluster + " at " + kafka.servers() + " answers"));
    binding(cluster);
    Map<String, TopicDescription> topics = kafka.describe();
    topics(topics);
    retention(topics);
    group();
    return findings;
  }

  private void binding(String cluster) {
    Optional<String> bound =
        stores.query(
            "select kafka_cluster_id from idembox.installation",
            select -> {},
            row -> row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty());
    if (bound.isEmpty()) {
      findings.add(
          Finding.info(
              "kafka.cluster",
              "the database is not bound to a cluster yet",
              "nothing: the first start does it"));
    } else {
      findings.add(
          bound.get().equals(cluster)
              ? Finding.ok("kafka.cluster", "the database belongs to this cluster")
              : Finding.error(
                  "kafka.cluster",
                  "the database was used with cluster "
                      + bound.get()
                      + ", and this is "
                      + cluster
                      + ": is it a copy, or did Kafka move?",
                  "connect it to its own cluster; or say which of the two happened: run"
                      + " --adopt-cluster copy, or --adopt-cluster moved"));
    }
  }

  private void topics(Map<String, TopicDescription> topics) {
    TreeSet<String> missing = new TreeSet<>(kafka.topics());
    missing.removeAll(topics.keySet());
    if (missing.isEmpty()) {
      findings.add(Finding.ok("kafka.topics", "all topics are there: " + topics.keySet()));
    } else {
      findings.add(
          Finding.error(
              "kafka.topics",
              "there is no topic " + String.join(", ", missing),
              "create it, or correct subscriptions"));
    }
    topics.values().stream()
        .filter(topic -> topic.topicId().equals(Uuid.ZERO_UUID))
        .forEach(
            topic ->
                findings.add(
                    Finding.warning(
                        "kafka.topic_ids",
                        "the brokers name no id for topic "
                            + topic.name()
                            + ": a topic made again is not recognised, and nothing is skipped"
                            + " without a query",
                        "use brokers with topic ids (2.8 or newer)")));
  }

  private void retention(Map<String, TopicDescription> topics) {
    Duration inbox = stores.settings().get(Options.INBOX_RETENTION);
    Duration longest = Duration.ZERO;
    List<ConfigResource> asked =
        topics.keySet().stream()
            .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
            .toList();
    Map<ConfigResource, Config> configs = kafka.await(kafka.admin().describeConfigs(asked).all());
    for (Map.Entry<ConfigResource, Config> entry : configs.entrySet()) {
      Duration kept = kept(entry.getValue());
      longest = kept.compareTo(longest) > 0 ? kept : longest;
      String topic = entry.getKey().name();
      findings.add(
          kept.compareTo(inbox) > 0
              ? Finding.warning(
                  "inbox.retention",
                  "topic "
                      + topic
                      + " keeps records for "
                      + shown(kept)
                      + ", the inbox its rows for "
                      + Durations.text(inbox)
                      + ": a copy that was published again may come when its first is forgotten",
                  "set inbox.retention to at least " + shown(kept))
              : Finding.ok("inbox.retention", "longer than topic " + topic + " keeps its records"));
    }
    for (StoreFinding finding : effects.checkRetention(longest)) {
      findings.add(Finding.of(finding));
    }
  }

  private static Duration kept(Config config) {
    ConfigEntry cleanup = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
    if (cleanup != null && "compact".equals(cleanup.value())) {
      return FOR_EVER;
    }
    String value =
        String.valueOf(Objects.requireNonNull(config.get(TopicConfig.RETENTION_MS_CONFIG)).value());
    long millis = Long.parseLong(value);
    return millis < 0 || millis > FOR_EVER.toMillis() ? FOR_EVER : Duration.ofMillis(millis);
  }

  private static String shown(Duration kept) {
    return kept.equals(FOR_EVER) ? "ever" : Durations.text(kept);
  }

  private void group() {
    StatusReport.GroupState group = StatusReport.GroupState.of(kafka);
    String protocol =
        stores.settings().group(Options.KAFKA).getOrDefault("group.protocol", "classic");
    findings.add(
        Finding.ok(
            "kafka.group",
            "group "
                + kafka.groupId()
                + " is "
                + group.state()
                + " with "
                + group.members()
                + " members; protocol "
                + protocol));
  }
}
