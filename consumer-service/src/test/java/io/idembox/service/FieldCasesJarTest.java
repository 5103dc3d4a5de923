package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.service.Program.Running;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** Situations from the field, through the commands as users start them. */
final class FieldCasesJarTest extends ServiceTestBase {
  private static final Pattern SKIPPED =
      Pattern.compile(
          "idembox_records_total\\{[^}]*outcome=\"(?:skipped|duplicate)\"[^}]*} (\\S+)");

  /**
   * C14: the group is moved back over 500 handled records, 20 new ones stand behind them, and two
   * members start: the 20 are handled, the 500 are skipped, and that is to be seen.
   */
  @Test
  void c14ARewoundGroupHandlesOnlyWhatIsNew() throws Exception {
    Program idembox = Program.in(folder);
    produce(0, 500);
    try (Running first = idembox.service("run")) {
      await().atMost(SOON).until(() -> count("select count(*) from sent") == 500);
      first.terminate();
      assertThat(first.ran().code()).isEqualTo(143);
    }
    idembox.run("rewind", "--to-earliest").good().says("250", "0");
    produce(500, 520);

    int port1 = PlantedServers.freePort();
    int port2 = PlantedServers.freePort();
    try (Running s1 = idembox.with("IDEMBOX_HTTP_PORT", "" + port1).service("run");
        Running s2 = idembox.with("IDEMBOX_HTTP_PORT", "" + port2).service("run")) {
      await().atMost(SOON).until(() -> count("select count(*) from sent") == 520);
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                JsonNode status = idembox.run("status", "--json").json();
                assertThat(status.get("members").asInt()).isEqualTo(2);
                assertThat(status.findValuesAsText("lag")).containsExactly("0", "0");
                assertThat(skipped(port1) + skipped(port2)).isEqualTo(500);
              });
      assertThat(s1.output() + s2.output()).contains("were done before and are skipped");
    }
    assertThat(count("select count(*) from ledger")).isEqualTo(520);
    assertThat(count("select count(distinct id) from sent")).isEqualTo(520);
    assertThat(count("select count(*) from sent")).isEqualTo(520);
  }

  /** C16: what is written down is in force, or refuses the start in time, by key and place. */
  @Test
  void c16ASettingThatIsNotInForceRefusesTheStart() throws Exception {
    Map<String, List<String>> wrong = new LinkedHashMap<>();
    wrong.put("consumer.concurency: 8", List.of("consumer.concurency"));
    wrong.put("Consumer.Concurrency: 8", List.of("Consumer.Concurrency"));
    wrong.put("'consumer.name': other", List.of("consumer.name", "written twice"));
    wrong.put("inbox.retention: 20d\ninbox.retention: 30d", List.of("inbox.retention", "twice"));
    wrong.put("kafka.max.poll.interval.ms: 30s", List.of("kafka.max.poll.interval.ms"));
    wrong.put("effects[0].lease: -30s", List.of("effects[0].lease"));
    wrong.put(
        "effects[0].lease: 50m\neffects[0].retention: 10m",
        List.of("effects[0].retention", "more than the lease"));
    wrong.put("guard: {lease: 30s}", List.of("guard"));
    Program idembox = Program.in(folder);
    String good = Files.readString(config);
    int last = (int) good.lines().count();
    Map<List<String>, Running> started = new LinkedHashMap<>();
    for (Map.Entry<String, List<String>> each : wrong.entrySet()) {
      String file = "wrong-" + started.size() + ".yaml";
      Files.writeString(folder.resolve(file), good + each.getKey() + "\n");
      List<String> expected = new ArrayList<>(each.getValue());
      expected.add(file + ":");
      started.put(expected, idembox.start("run", "--config", file));
    }
    for (Map.Entry<List<String>, Running> each : started.entrySet()) {
      assertThat(each.getValue().process().waitFor(10, TimeUnit.SECONDS)).isTrue();
      each.getValue().ran().refuses(3, each.getKey().toArray(String[]::new));
    }
    assertThat(last).isPositive();
    // Quoted and dotted, and nowhere else: it is in force.
    Files.writeString(folder.resolve("quoted.yaml"), good + "'consumer.concurrency': 3\n");
    idembox.run("config", "--config", "quoted.yaml").good().says("consumer.concurrency: 3");
  }

  /** C34 (a): eight processes on an empty database in the same moment. */
  @Test
  void c34EightProcessesMigrateAnEmptyDatabaseAtOnce() throws Exception {
    execute("drop schema idembox cascade");
    Program idembox = Program.in(folder);
    List<Running> eight =
        IntStream.range(0, 8).mapToObj(i -> idembox.launch("migrate", "--json")).toList();
    for (Running each : eight) {
      Program.Ran ran = each.ran().good();
      assertThat(ran.err()).as("%s", ran).isEmpty();
    }
    idembox.run("migrate", "--validate").good();
    assertThat(count("select count(*) from idembox.installation")).isEqualTo(1);
    assertThat(
            count(
                "select max(n) from (select count(*) n from idembox.schema_history group by"
                    + " version)"))
        .isEqualTo(1);
  }

  /** C34 (c): a role that may not create gets the missing right and the SQL to run by hand. */
  @Test
  void c34ARoleThatMayNotCreateIsToldWhatToRun() throws Exception {
    execute("drop schema idembox cascade");
    String role = "reader_" + scope.namespace();
    execute("create role " + role + " login password 'planted-reader'");
    Program reader =
        Program.in(folder)
            .with(
                Map.of(
                    "IDEMBOX_POSTGRES_USER", role, "IDEMBOX_POSTGRES_PASSWORD", "planted-reader"));
    Running people = reader.start("migrate");
    Running json = reader.start("migrate", "--json");
    Running run = reader.start("run");
    Program.Ran told = people.ran();
    assertThat(told.code()).as("%s", told).isEqualTo(4);
    assertThat(told.err()).startsWith("error: ").contains("lacks", "CREATE");
    assertThat(told.out()).contains("create table idembox.inbox");
    Program.Ran answer = json.ran();
    assertThat(answer.code()).isEqualTo(4);
    JsonNode sql = Json.MAPPER.readTree(answer.out());
    assertThat(sql.get("migrated").asBoolean()).isFalse();
    assertThat(JsonShape.of("migrate").differences(sql)).isEmpty();
    Program.Ran refused = run.ran();
    assertThat(refused.code()).as("%s", refused).isEqualTo(4);
    assertThat(refused.err()).contains("idembox migrate");
    // Somebody who may runs what it printed: in one piece, as psql would.
    execute(sql.get("sql").asText());
    Program.in(folder).run("migrate", "--validate").good();
  }

  /**
   * C54 (a, b): a dead letter of partition 5, for a topic that is missing, and then has one
   * partition: it is named, holds nothing up, and gets its letter later, by itself.
   */
  @Test
  void c54ADeadLetterWaitsForItsTopicAndHoldsNothingUp() throws Exception {
    topic = scope.topic("six", 6);
    config = write("");
    String letters = "letters-" + scope.namespace();
    Program idembox =
        Program.in(folder)
            .with(
                Map.of(
                    "IDEMBOX_CONSUMER_MAX_ATTEMPTS",
                    "1",
                    "IDEMBOX_CONSUMER_DEAD_LETTER_TOPIC",
                    letters));
    send(5, "broken", "{\"id\":");
    for (int i = 0; i < 6; i++) {
      send(i, "m" + i, "{\"id\":\"o" + i + "\"}");
    }
    try (Running run = idembox.service("run")) {
      await().atMost(SOON).until(() -> count("select count(*) from sent") == 6);
      await()
          .atMost(SOON)
          .until(
              () ->
                  idembox.run("status", "--json").json().findValuesAsText("lag").stream()
                      .allMatch("0"::equals));
      await().atMost(SOON).until(() -> run.output().contains(letters));
      idembox.run("dead-letters", "list").good().says(topic + "-5@0", "open");
      assertThat(count("select count(*) from idembox.dead_letter where relayed_at is null"))
          .isEqualTo(1);
      try (Admin admin = Admin.create(kafka())) {
        admin.createTopics(List.of(new NewTopic(letters, 1, (short) 1))).all().get();
      }
      await()
          .atMost(SOON)
          .until(
              () ->
                  count("select count(*) from idembox.dead_letter where relayed_at is not null")
                      == 1);
    }
    try (KafkaConsumer<String, String> reader =
        new KafkaConsumer<>(kafka(), new StringDeserializer(), new StringDeserializer())) {
      TopicPartition at = new TopicPartition(letters, 0);
      assertThat(reader.endOffsets(List.of(at))).containsEntry(at, 1L);
    }
  }

  /** C56: a dead letter is sent back after the fix (a), again (b), and after a clean-up (c). */
  @Test
  void c56ADeadLetterThatIsSentBackIsHandledOnce() throws Exception {
    Program idembox = Program.in(folder).with("IDEMBOX_CONSUMER_MAX_ATTEMPTS", "1");
    send(0, "m5", "{\"id\":\"o5\"}");
    try (Running bad =
        idembox.with("IDEMBOX_SUBSCRIPTIONS_0__CONFIG_FAILING", "true").service("run")) {
      await().atMost(SOON).until(() -> count("select count(*) from idembox.dead_letter") == 1);
      bad.terminate();
      bad.ran();
    }
    idembox.run("dead-letters", "list").good().says(topic + "-0@0", "open");
    try (Running good = idembox.service("run")) {
      send(1, "m5", "{\"id\":\"o5\"}");
      await().atMost(SOON).until(() -> count("select count(*) from sent where id = 'o5'") == 1);
      idembox.run("dead-letters", "list").good().says("no dead letters");
      idembox.run("dead-letters", "list", "--state", "retried").good().says(topic + "-0@0");

      send(0, "m5", "{\"id\":\"o5\"}");
      send(0, "m6", "{\"id\":\"o6\"}");
      await().atMost(SOON).until(() -> count("select count(*) from sent where id = 'o6'") == 1);
      assertThat(count("select count(*) from ledger where id = 'o5'")).isEqualTo(1);

      await()
          .atMost(SOON)
          .until(() -> count("select count(*) from idembox.effect where state = 2") == 2);
      execute("delete from idembox.inbox; delete from idembox.effect");
      send(0, "m5", "{\"id\":\"o5\"}");
      // The row is gone, so the handler runs; the guard still keeps the one note.
      await().atMost(SOON).until(() -> count("select count(*) from ledger where id = 'o5'") == 2);
      await()
          .atMost(SOON)
          .until(() -> count("select count(*) from idembox.effect where state = 2") == 1);
      assertThat(good.process().isAlive()).isTrue();
    }
    assertThat(count("select count(*) from sent where id = 'o5'")).isEqualTo(1);
  }

  private Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", scope.kafka().bootstrapServers());
  }

  private static double skipped(int port) throws Exception {
    String metrics =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                    .timeout(Duration.ofSeconds(10))
                    .build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    Matcher matcher = SKIPPED.matcher(metrics);
    double sum = 0;
    while (matcher.find()) {
      sum += Double.parseDouble(matcher.group(1));
    }
    return sum;
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
    }
  }
}
