package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
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
    Ran again = run("dead-letters", "retry", id, "--url", url("/"));
    assertThat(again.code()).isEqualTo(ExitCode.NOT_POSSIBLE);
    assertThat(again.out()).contains("dead letter " + id + " is retried");

    send(0, "m5", "{\"id\":\"o5\"}");
    send(0, "m6", "{\"id\":\"o6\"}");
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 2);
    assertThat(count("select count(*) from ledger where id = 'o5'")).isEqualTo(1);
    assertThat(count("select count(*) from sent where id = 'o5'")).isEqualTo(1);
  }
}
