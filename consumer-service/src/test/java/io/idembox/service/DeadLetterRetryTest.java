package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;

/** The command {@code dead-letters retry}, which asks the running service. */
final class DeadLetterRetryTest extends RunningServiceTestBase {
  private static final Map<String, String> BAD =
      Map.of(
          "IDEMBOX_SUBSCRIPTIONS_0__CONFIG_FAILING", "true", "IDEMBOX_CONSUMER_MAX_ATTEMPTS", "2");

  /** C56 (a) and (b). */
  @Test
  void aDeadLetterIsHandledAfterTheFixAndOnce() throws Exception {
    start(BAD);
    send(0, "m5", "{\"id\":\"o5\"}");
    await().atMost(SOON).until(() -> count("select count(*) from idembox.dead_letter") == 1);
    Ran still = run("dead-letters", "retry", "--all", "--url", url("/"));
    assertThat(still.code()).as(still.err()).isEqualTo(ExitCode.BAD_NEWS);
    assertThat(still.out()).contains("failed again: java.lang.IllegalStateException");
    stop();

    start(Map.of());
    JsonNode list = Json.MAPPER.readTree(run("dead-letters", "list", "--json").out());
    String id = list.get(0).get("id").asText();
    assertThat(list.get(0).get("trips").asInt()).isEqualTo(2);
    assertThat(run("dead-letters", "retry", id, "--url", url("/")).code()).isZero();
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 1);
    assertThat(run("dead-letters", "retry", id, "--url", url("/")).err())
        .contains("dead letter " + id + " is retried");

    send(0, "m5", "{\"id\":\"o5\"}");
    send(0, "m6", "{\"id\":\"o6\"}");
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 2);
    assertThat(count("select count(*) from ledger where id = 'o5'")).isEqualTo(1);
    assertThat(count("select count(*) from sent where id = 'o5'")).isEqualTo(1);
  }

  /** C56 (c): its row is cleaned up: handled again, and the guard still holds the one mail. */
  @Test
  void aRecordSentBackAfterItsRowIsGoneIsHandledAgainWithoutASecondMail() throws Exception {
    start(Map.of());
    send(0, "m5", "{\"id\":\"o5\"}");
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 1);
    await()
        .atMost(SOON)
        .until(() -> count("select count(*) from idembox.effect where state = 2") == 1);
    execute("delete from idembox.inbox; delete from idembox.effect");
    send(0, "m5", "{\"id\":\"o5\"}");
    await().atMost(SOON).until(() -> count("select count(*) from ledger") == 2);
    await()
        .atMost(SOON)
        .until(() -> count("select count(*) from idembox.effect where state = 2") == 1);
    assertThat(count("select count(*) from sent")).isEqualTo(1);
  }

  /** C54 (a): a dead-letter topic that is missing holds nothing up, and gets its letter later. */
  @Test
  void aMissingDeadLetterTopicGetsItsLetterOnceItIsThere() throws Exception {
    String letters = "letters-" + scope.namespace();
    start(
        Map.of(
            "IDEMBOX_SUBSCRIPTIONS_0__CONFIG_FAILING", "true",
            "IDEMBOX_CONSUMER_MAX_ATTEMPTS", "1",
            "IDEMBOX_CONSUMER_DEAD_LETTER_TOPIC", letters));
    send(1, "m5", "{\"id\":\"o5\"}");
    await().atMost(SOON).until(() -> count("select count(*) from idembox.dead_letter") == 1);
    await()
        .atMost(SOON)
        .until(
            () ->
                Json.MAPPER.readTree(run("status", "--json").out()).at("/partitions/1/lag").asLong()
                    == 0);
    assertThat(count("select count(*) from idembox.dead_letter where relayed_at is null"))
        .isEqualTo(1);
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(letters, 1, (short) 1))).all().get();
    }
    await()
        .atMost(SOON)
        .until(
            () ->
                count("select count(*) from idembox.dead_letter where relayed_at is not null")
                    == 1);
  }

  @Test
  void withoutARunningServiceTheCommandSaysSo() throws Exception {
    Ran ran = run("dead-letters", "retry", "1", "--url", "http://127.0.0.1:1/");
    assertThat(ran.code()).isEqualTo(ExitCode.SERVER);
    assertThat(ran.err()).contains("No service answers at http://127.0.0.1:1/");
    assertThat(run("dead-letters", "retry").code()).isEqualTo(ExitCode.WRONG_ARGUMENTS);
  }
}
