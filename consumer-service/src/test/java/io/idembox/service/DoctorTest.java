package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/**
 * The command {@code doctor}: what is in order, what is not, and that one does not hide another.
 */
final class DoctorTest extends ServiceTestBase {
  @Test
  void whatIsInOrderIsToldToo() throws Exception {
    Ran ran = run("doctor", "--json");
    assertThat(ran.code()).as(ran.out()).isZero();
    assertThat(codes(ran, "OK"))
        .contains(
            "plugins",
            "postgres.usable",
            "postgres.schema",
            "kafka.reachable",
            "kafka.topics",
            "timeouts",
            "redis");
    assertThat(run("doctor").out()).contains("no errors").doesNotContain(TOKEN);
  }

  @Test
  void errorsHaveARemedyAndKeepNoOtherCheckFromBeingMade() throws Exception {
    execute("drop schema idembox cascade");
    Ran ran =
        run(
            Map.of(
                "IDEMBOX_SUBSCRIPTIONS_0__TOPICS", topic + ",missing",
                "IDEMBOX_EFFECTS_0__CLASS", "plugged.Gone",
                "IDEMBOX_REDIS_URI", "redis://127.0.0.1:1"),
            "doctor",
            "--json");
    assertThat(ran.code()).isEqualTo(ExitCode.BAD_NEWS);
    assertThat(codes(ran, "ERROR")).contains("plugins", "postgres.usable", "redis");
    assertThat(ran.out()).contains("idembox migrate", "127.0.0.1:1");
  }

  @Test
  void aMissingTopicAndAnotherClusterAreErrors() throws Exception {
    execute("update idembox.installation set kafka_cluster_id = 'another'");
    Ran ran =
        run(Map.of("IDEMBOX_SUBSCRIPTIONS_0__TOPICS", topic + ",missing"), "doctor", "--json");
    assertThat(codes(ran, "ERROR")).containsExactlyInAnyOrder("kafka.cluster", "kafka.topics");
  }

  @Test
  void aShortInboxRetentionAndARenamedConsumerAreWarnings() throws Exception {
    execute(
        "insert into idembox.effect_namespace (name) values ('old@x');"
            + "insert into idembox.consumer (name, group_id, namespace_id, resolver_fingerprint)"
            + " select 'old', '"
            + scope.namespace()
            + "', id, 'x' from idembox.effect_namespace");
    Ran ran = run(Map.of("IDEMBOX_INBOX_RETENTION", "1h"), "doctor", "--json");
    assertThat(codes(ran, "WARNING")).contains("inbox.retention", "consumer.name");
    assertThat(ran.out()).contains("effect namespace old@x");
  }

  @Test
  void whatAStartWouldMeetIsToldBefore() throws Exception {
    execute(
        """
        insert into idembox.effect_namespace (name) values ('n@x');
        insert into idembox.consumer (name, group_id, namespace_id, resolver_fingerprint)
          select '%1$s', '%1$s', id, 'other rules' from idembox.effect_namespace;
        insert into idembox.topic (kafka_topic_id, name) values (gen_random_uuid(), '%2$s');
        insert into idembox.progress (consumer_id, topic_id, partition)
          select c.id, t.id, 0 from idembox.consumer c, idembox.topic t
        """
            .formatted(scope.namespace(), topic));
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()))) {
      String foreign = "idembox/1 " + UUID.randomUUID() + " " + UUID.randomUUID() + " 0 0";
      admin
          .alterConsumerGroupOffsets(
              scope.namespace(),
              Map.of(
                  new TopicPartition(topic, 0),
                  new OffsetAndMetadata(0, Optional.empty(), foreign)))
          .all()
          .get();
    }
    Ran ran = run(Map.of("IDEMBOX_KAFKA_SSL_TRUSTSTORE_LOCATION", "/ca"), "doctor", "--json");
    assertThat(codes(ran, "ERROR")).as(ran.out()).contains("consumer.message-ids", "kafka.offsets");
    assertThat(codes(ran, "WARNING")).contains("kafka.topic_ids", "kafka.security");
  }

  @Test
  void aDatabaseThatIsAwayIsAskedOnceAndHidesNothingOfKafka() throws Exception {
    Ran ran =
        run(
            Map.of(
                "IDEMBOX_POSTGRES_URL", "jdbc:postgresql://127.0.0.1:1/none",
                "IDEMBOX_POSTGRES_CONNECTION_TIMEOUT", "1s",
                // Kafka's usual limit; a client of commands has a shorter one of its own.
                "IDEMBOX_KAFKA_REQUEST_TIMEOUT_MS", "30000"),
            "doctor",
            "--json");
    assertThat(codes(ran, "ERROR")).containsExactly("postgres.usable");
    assertThat(codes(ran, "OK"))
        .contains("kafka.reachable", "kafka.topics", "kafka.group", "redis");
  }

  @Test
  void completionIsAShellScript() {
    Ran ran = run("config", "--explain", "retention", "--json");
    assertThat(ran.out()).contains("inbox.retention", "IDEMBOX_INBOX_RETENTION");
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    java.io.PrintStream stream =
        new java.io.PrintStream(out, true, java.nio.charset.StandardCharsets.UTF_8);
    assertThat(Idembox.execute(new Console(stream, stream, Map.of(), Map.of()), "completion"))
        .isZero();
    assertThat(out.toString(java.nio.charset.StandardCharsets.UTF_8))
        .contains("complete -F", "dead-letters");
  }

  private static List<String> codes(Ran ran, String severity) throws Exception {
    List<String> codes = new ArrayList<>();
    for (JsonNode finding : Json.MAPPER.readTree(ran.out())) {
      if (finding.get("severity").asText().equals(severity)) {
        codes.add(finding.get("code").asText());
      }
    }
    return codes;
  }
}
