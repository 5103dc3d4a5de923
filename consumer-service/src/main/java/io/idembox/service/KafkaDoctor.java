package io.idembox.service;

import io.idembox.effect.EffectCatalog;
import io.idembox.effect.StoreFinding;
import io.idembox.inbox.InboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Kafka: reachable, the topics, their retention, the group, and whose cluster it is. */
final class KafkaDoctor {
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  private static final String ASSIGNOR = "cooperative-sticky";

  private final Stores stores;
  private final EffectCatalog effects;
  private final boolean database;
  private final KafkaView kafka;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * Opens nothing yet.
   *
   * @param database whether it can be asked too: each question to one that is away takes its time
   */
  KafkaDoctor(Stores stores, EffectCatalog effects, boolean database) {
    this.stores = stores;
    this.effects = effects;
    this.database = database;
    this.kafka = new KafkaView(stores);
  }

  List<Finding> findings() {
    String cluster = kafka.clusterId();
    findings.add(
        Finding.ok(
            "kafka.reachable", "cluster " + cluster + " at " + kafka.servers() + " answers"));
    Map<String, TopicDescription> topics = kafka.describe();
    if (database) {
      apart("kafka.cluster", () -> binding(cluster));
      apart("kafka.topic_ids", () -> madeAgain(topics));
      apart("kafka.offsets", this::offsets);
    }
    apart("kafka.topics", () -> topics(topics));
    apart("inbox.retention", () -> retention(topics));
    apart("kafka.group", this::group);
    apart("kafka.dead_letters", this::letters);
    return findings;
  }

  /** A check that needs the database too must not hide what Kafka alone tells. */
  private void apart(String code, Runnable check) {
    try {
      check.run();
    } catch (ServerException | InboxException | KafkaException e) {
      findings.add(
          Finding.warning(
              code,
              "could not be checked: " + e.getMessage(),
              "see the other findings; then run doctor again"));
    }
  }

  /** Topics that stood under other ids when this database saw them last. */
  private void madeAgain(Map<String, TopicDescription> topics) {
    for (TopicDescription topic : topics.values()) {
      List<String> before =
          stores.query(
              """
              select t.kafka_topic_id::text from idembox.topic t
              where t.name = ? and exists (select from idembox.progress where topic_id = t.id)
                and not exists (select from idembox.topic where name = t.name and kafka_topic_id = ?)
              """,
              select -> {
                select.setString(1, topic.name());
                select.setObject(2, KafkaView.id(topic.topicId()));
              },
              rows -> {
                List<String> found = new ArrayList<>();
                while (rows.next()) {
                  found.add(rows.getString(1));
                }
                return found;
              });
      if (!before.isEmpty()) {
        findings.add(
            Finding.warning(
                "kafka.topic_ids",
                "topic "
                    + topic.name()
                    + " was made again since it was read last: its offsets begin anew, and what is"
                    + " known of them is that of the old one",
                "nothing, if it was meant: messages with ids of their own are still recognised,"
                    + " others are handled again"));
      }
    }
  }

  /** Offsets of another installation's database are refused at a start. */
  private void offsets() {
    String ours =
        stores.query(
            "select id::text from idembox.installation",
            select -> {},
            row -> row.next() ? row.getString(1) : "");
    List<String> foreign =
        kafka.committed().entrySet().stream()
            .filter(one -> one.getValue().metadata().startsWith("idembox/1 "))
            .filter(one -> !one.getValue().metadata().startsWith("idembox/1 " + ours + " "))
            .map(one -> one.getKey().toString())
            .sorted()
            .toList();
    findings.add(
        foreign.isEmpty()
            ? Finding.ok("kafka.offsets", "none is of another installation's database")
            : Finding.error(
                "kafka.offsets",
                "the offsets of "
                    + String.join(", ", foreign)
                    + " are of another installation's database: what that one has done is not known"
                    + " to this one",
                "connect it to its own database; or run --adopt-offsets, once you know why"));
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

  /** No error: letters that cannot be copied wait as rows, and are copied later. */
  private void letters() {
    String topic = stores.settings().find(Options.DEAD_LETTER_TOPIC).orElse("");
    if (topic.isEmpty()) {
      return;
    }
    String code = "kafka.dead_letters";
    String wait = "dead letters stay in the database alone";
    Finding mayNotWrite =
        Finding.warning(
            code,
            wait + ": the right WRITE on topic " + topic + " is missing",
            "grant it; what waits is copied by itself then");
    try {
      TopicDescription found =
          Objects.requireNonNull(
              kafka
                  .await(
                      kafka
                          .admin()
                          .describeTopics(
                              List.of(topic),
                              new DescribeTopicsOptions().includeAuthorizedOperations(true))
                          .allTopicNames())
                  .get(topic));
      findings.add(
          found.authorizedOperations().contains(AclOperation.WRITE)
              ? Finding.ok(code, "topic " + topic + " may be written")
              : mayNotWrite);
    } catch (UnknownTopicOrPartitionException e) {
      findings.add(
          Finding.warning(
              code,
              wait + ": there is no topic " + topic,
              "create it, or correct consumer.dead-letter-topic; what waits is copied by itself"
                  + " then"));
    } catch (ServerException e) {
      if (!(e.getCause() instanceof TopicAuthorizationException)) {
        throw e;
      }
      findings.add(mayNotWrite);
    }
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
                  kept.equals(FOR_EVER)
                      ? "nothing, where nobody publishes copies that old again; else raise"
                          + " inbox.retention"
                      : "set inbox.retention to at least " + shown(kept))
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
    Optional<ConsumerGroupDescription> found = StatusReport.GroupState.find(kafka);
    String protocol =
        stores
            .settings()
            .group(Options.KAFKA)
            .getOrDefault("group.protocol", "classic")
            .toLowerCase(Locale.ROOT);
    String name = "group " + kafka.groupId();
    if (found.isEmpty() || found.get().members().isEmpty()) {
      findings.add(
          Finding.ok("kafka.group", name + " has no members; we come with protocol " + protocol));
      return;
    }
    ConsumerGroupDescription group = found.get();
    String theirs = group.type().toString().toLowerCase(Locale.ROOT);
    String what = name + " has " + group.members().size() + " members under protocol " + theirs;
    if (!theirs.equals(protocol)) {
      findings.add(
          Finding.warning(
              "kafka.group",
              what + ", and kafka.group.protocol is " + protocol,
              "set all members to one protocol; Kafka changes a group member by member, if the"
                  + " brokers' group.consumer.migration.policy allows it"));
    } else if (protocol.equals("classic")
        && !group.partitionAssignor().isEmpty()
        && !group.partitionAssignor().equals(ASSIGNOR)) {
      findings.add(
          Finding.error(
              "kafka.group",
              what
                  + " with the assignor "
                  + group.partitionAssignor()
                  + ", and ours is "
                  + ASSIGNOR,
              "is it another program's group? Set consumer.group-id; else stop its members first"));
    } else {
      findings.add(Finding.ok("kafka.group", what + ", as is ours"));
    }
  }
}
