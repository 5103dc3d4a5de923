package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.testkit.JavaProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** The command {@code replay}: alone, and beside the live group. */
final class ReplayCommandTest extends RunningServiceTestBase {
  @Test
  void whatIsDoneIsSkippedAndWhatIsMissingIsHandled() throws Exception {
    produce(0, 40);
    handledByTheService(40);
    produce(40, 55);

    JsonNode dry = json(run("replay", "--dry-run", "--json"));
    assertThat(numbers(dry)).isEqualTo("read 55 skipped 40 handled 15 dead 0");
    assertThat(count("select count(*) from ledger")).isEqualTo(40);

    JsonNode report = json(run("replay", "--json"));
    assertThat(numbers(report)).isEqualTo("read 55 skipped 40 handled 15 dead 0");
    assertThat(report.get("effectsPerformed").asLong()).isEqualTo(15);
    assertThat(report.get("finished").asBoolean()).isTrue();
    assertThat(report.get("partitions")).hasSize(2);
    assertThat(count("select count(*) from ledger")).isEqualTo(55);
    assertThat(count("select count(*) from sent")).isEqualTo(55);

    assertThat(numbers(json(run("replay", "--json"))))
        .isEqualTo("read 55 skipped 55 handled 0 dead 0");
    assertThat(run("replay").out()).contains("55 read: 55 skipped (100.0 %)", "finished");

    start(Map.of());
    produce(55, 60);
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 60);
    assertThat(count("select count(distinct id) from sent")).isEqualTo(60);
  }

  @Test
  void besideALiveGroupItEndsAtWhatTheGroupHasCommitted() throws Exception {
    produce(0, 20);
    start(Map.of());
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 20);
    await()
        .atMost(SOON)
        .until(() -> json(run("replay", "--dry-run", "--json")).get("read").asLong() == 20);

    JsonNode report = json(run("replay", "--json"));
    assertThat(numbers(report)).isEqualTo("read 20 skipped 20 handled 0 dead 0");
    assertThat(report.get("notes").toString()).contains("is live with 1 member:");
    assertThat(count("select count(*) from sent")).isEqualTo(20);
  }

  @Test
  void offsetsAndTimesBoundIt() throws Exception {
    produce(0, 20);
    assertThat(
            numbers(
                json(
                    run(
                        "replay",
                        "--topic",
                        topic,
                        "--partition",
                        "0",
                        "--from-offset",
                        "2",
                        "--to-offset",
                        "5",
                        "--json"))))
        .isEqualTo("read 3 skipped 0 handled 3 dead 0");
    JsonNode late = json(run("replay", "--from-time", "2100-01-01T00:00:00Z", "--json"));
    assertThat(late.get("read").asLong()).isZero();
    assertThat(late.get("notes").toString()).contains("it starts at its end, 10");
    assertThat(run("replay", "--from-offset", "2").code()).isEqualTo(ExitCode.WRONG_ARGUMENTS);
    assertThat(run("replay", "--topic", "other").code()).isEqualTo(ExitCode.NOT_POSSIBLE);
  }

  @Test
  void aRecordThatCannotBeHandledIsADeadLetterAndBadNews() throws Exception {
    produce(0, 2);
    send(0, "broken", "{\"id\":");
    Ran ran = run(Map.of("IDEMBOX_CONSUMER_MAX_ATTEMPTS", "1"), "replay", "--json");
    assertThat(ran.code()).as(ran.err()).isEqualTo(ExitCode.BAD_NEWS);
    assertThat(numbers(Json.MAPPER.readTree(ran.out())))
        .isEqualTo("read 3 skipped 0 handled 2 dead 1");
    assertThat(count("select count(*) from idembox.dead_letter")).isEqualTo(1);
  }

  @Test
  void ctrlCStopsItAndSaysWhereToGoOn() throws Exception {
    produce(0, 200);
    try (JavaProcess process = process("replay", "--rate", "20").start()) {
      await().atMost(SOON).until(() -> count("select count(*) from ledger") > 0);
      process.terminate();
      process.awaitExit(SOON);
      assertThat(process.output())
          .anyMatch(line -> line.contains("stopped before the end"))
          .anyMatch(line -> line.contains("idembox replay --topic " + topic + " --partition"));
    }
    long handled = count("select count(*) from ledger");
    assertThat(handled).isLessThan(200);
    JsonNode rest = json(run("replay", "--json"));
    assertThat(rest.get("skipped").asLong()).isEqualTo(handled);
    assertThat(count("select count(distinct id) from sent")).isEqualTo(200);
    assertThat(count("select count(*) from sent")).isEqualTo(200);
  }

  private void handledByTheService(int records) throws Exception {
    start(Map.of());
    await().atMost(SOON).until(() -> count("select count(*) from sent") == records);
    stop();
    service = null;
  }

  private void produce(int from, int to) throws Exception {
    try (KafkaProducer<String, String> producer = producer()) {
      for (int i = from; i < to; i++) {
        ProducerRecord<String, String> record =
            new ProducerRecord<>(topic, i % 2, "k" + i, "{\"id\":\"o" + i + "\"}");
        record.headers().add("message-id", ("m" + i).getBytes(StandardCharsets.UTF_8));
        var unused = producer.send(record);
      }
      producer.flush();
      producer.close(Duration.ofSeconds(10));
    }
  }

  private static String numbers(JsonNode report) {
    return "read "
        + report.get("read")
        + " skipped "
        + report.get("skipped")
        + " handled "
        + report.get("handled")
        + " dead "
        + report.get("dead");
  }

  private static JsonNode json(Ran ran) throws Exception {
    assertThat(ran.err()).isEmpty();
    return Json.MAPPER.readTree(ran.out());
  }
}
