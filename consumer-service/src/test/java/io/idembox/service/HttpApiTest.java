package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.testkit.EmbeddedRedis;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Health, metrics and the API of a running service. */
final class HttpApiTest extends RunningServiceTestBase {
  @Test
  void probesAndMetricsNeedNoTokenAndTheApiDoes() throws Exception {
    start(Map.of());
    send(0, "m1", "{\"id\":\"o1\"}");
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 1);

    assertThat(get("/health/live", "").statusCode()).isEqualTo(200);
    assertThat(get("/health/started", "").statusCode()).isEqualTo(200);
    JsonNode ready = json(get("/health/ready", ""));
    assertThat(ready.get("up").asBoolean()).isTrue();
    assertThat(ready.at("/checks/redis").asText()).isEqualTo("answers");
    assertThat(ready.at("/checks/group").asText()).isEqualTo("joined");
    assertThat(get("/metrics", "").body()).contains("plugged_booked_total 1.0", "idembox_records");

    for (String path : new String[] {"/api/status", "/api/dead-letters", "/api/nothing"}) {
      assertThat(get(path, "").statusCode()).as(path).isEqualTo(401);
      assertThat(get(path, "wrong-token-wrong-token").statusCode()).as(path).isEqualTo(401);
    }
    assertThat(json(get("/api/status", TOKEN)).get("partitions")).hasSize(2);
    assertThat(json(get("/api/report", TOKEN)).get("members").asInt()).isEqualTo(1);
    assertThat(json(get("/api/inbox/stats", TOKEN)).has("inboxBytes")).isTrue();
    assertThat(json(get("/api/effects?state=done", TOKEN))).hasSize(1);
    assertThat(json(get("/api/effects/note?part=o1", TOKEN)).get("state").asText())
        .isEqualTo("done");
    assertThat(get("/api/nothing", TOKEN).statusCode()).isEqualTo(404);
  }

  @Test
  void aChangeIsAuditedAndARefusalHasNoStackTrace() throws Exception {
    start(Map.of());
    send(0, "m1", "{\"id\":\"o1\"}");
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 1);

    HttpResponse<String> forgotten = post("/api/effects/note/forget?part=o1", "{}");
    assertThat(forgotten.statusCode()).as(forgotten.body()).isEqualTo(200);
    HttpResponse<String> again = post("/api/effects/note/forget?part=nobody", "{}");
    assertThat(again.statusCode()).isEqualTo(409);
    assertThat(again.body()).contains("neither journal nor guard").doesNotContain("\tat ", "java.");
    assertThat(
            count(
                "select count(*) from idembox.audit where action = 'effects forget' and via = 'api'"
                    + " and who like 'tester at %' and target like 'note[o1]%' and outcome ="
                    + " 'done'"))
        .isEqualTo(1);
    assertThat(count("select count(*) from idembox.audit where outcome = 'refused'")).isEqualTo(1);

    assertThat(post("/api/dead-letters/1/discard", "not json").statusCode()).isEqualTo(400);
    assertThat(post("/api/dead-letters/x/discard", "{\"why\":\"x\"}").statusCode()).isEqualTo(400);
    assertThat(post("/api/dead-letters/1/discard", "{}").body()).contains("'why' is missing");
    assertThat(post("/api/dead-letters/1/discard", "\"" + "x".repeat(100_000) + "\"").statusCode())
        .isEqualTo(413);
    assertThat(get("/api/dead-letters?limit=0", TOKEN).statusCode()).isEqualTo(400);
  }

  @Test
  void everyRefusalIsJsonOfTheServerItselfToo() throws Exception {
    start(Map.of());
    await().atMost(SOON).until(() -> json(get("/api/status", TOKEN)).get("partitions").size() == 2);
    assertThat(json(get("/api/status", TOKEN)).at("/partitions/0/queuedRecords").isInt()).isTrue();
    String pause = "/api/partitions/" + topic + "/";
    refused(401, get("/api/status", "wrong-token-wrong-token"));
    refused(404, get("/api/nothing", TOKEN));
    refused(405, post("/api/status", "{}"));
    refused(405, post("/health/live", "{}"));
    refused(413, post(pause + "0/pause", "x".repeat(100_000)));
    refused(431, get("/health/live", "x".repeat(20_000)));
    // 2^32 is not partition 0.
    refused(400, post(pause + "4294967296/pause", "{\"why\":\"x\"}"));
    refused(409, post(pause + "0/resume", "{}"));
  }

  private static void refused(int status, HttpResponse<String> answer) throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type").orElse("")).contains("application/json");
    assertThat(json(answer).get("error").asText()).isNotBlank();
  }

  @Test
  void aPartitionIsPausedAndResumedOnRecord() throws Exception {
    start(Map.of());
    await().atMost(SOON).until(() -> json(get("/api/status", TOKEN)).get("partitions").size() == 2);
    String path = "/api/partitions/" + topic + "/0/";
    assertThat(post(path + "pause", "{}").body()).contains("'why' is missing");
    assertThat(post(path + "resume", "{}").statusCode()).isEqualTo(409);
    HttpResponse<String> paused = post(path + "pause", "{\"why\":\"repair\"}");
    assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
    send(0, "m0", "{\"id\":\"o0\"}");
    send(1, "m1", "{\"id\":\"o1\"}");
    await().atMost(SOON).until(() -> count("select count(*) from sent where id = 'o1'") == 1);
    JsonNode stall = json(get("/api/status", TOKEN)).at("/partitions/0/stall");
    assertThat(stall.get("detail").asText())
        .startsWith("paused by an operator: tester at ")
        .endsWith(": repair");
    assertThat(json(get("/health/ready", "")).get("up").asBoolean()).isTrue();
    assertThat(get("/health/ready", "").body()).contains(topic + "-0: paused");
    assertThat(count("select count(*) from sent where id = 'o0'")).isZero();

    assertThat(post(path + "resume", "{}").statusCode()).isEqualTo(200);
    await().atMost(SOON).until(() -> count("select count(*) from sent where id = 'o0'") == 1);
    assertThat(
            count(
                "select count(*) from idembox.audit where action like 'partitions %' and outcome ="
                    + " 'done' and via = 'api'"))
        .isEqualTo(2);
    assertThat(post("/api/partitions/" + topic + "/9/pause", "{\"why\":\"x\"}").statusCode())
        .isEqualTo(409);
  }

  @Test
  void aStoreThatIsAwayMakesItUnreadyAndNotDead() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start()) {
      start(Map.of("IDEMBOX_REDIS_URI", redis.uri()));
      await().atMost(SOON).until(() -> get("/health/ready", "").statusCode() == 200);
      redis.kill();
      await().atMost(SOON).until(() -> get("/health/ready", "").statusCode() == 503);
      assertThat(get("/health/ready", "").body()).contains("does not answer");
      assertThat(get("/health/live", "").statusCode()).isEqualTo(200);
      redis.restart();
      await().atMost(SOON).until(() -> get("/health/ready", "").statusCode() == 200);
    }
  }
}
