package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.migrations.IdemboxSchema;
import io.idembox.service.Program.Ran;
import io.idembox.service.Program.Running;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every command as its users start it, on servers that ask for secrets, by a role and a user that
 * have the rights of the README and no other: what it answers, as a table and as JSON, what it
 * refuses and with which exit code. {@link Program} looks into every output for the secrets.
 *
 * <p>A consumer {@code live} runs all the time, and one named {@code stopped} has run. Each left
 * dead letters of the orders r0 to r5, and held effects of u0 to u5: each test takes some of its
 * own.
 */
final class CommandsJarTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String TOPIC = "orders";
  private static final String LETTERS = "letters";
  private static final int GOOD = 12;
  private static final int ODD = 6;

  @TempDir private static Path folder;
  private static PlantedServers servers;
  private static DataSource database;
  private static Program idembox;
  private static Program stopped;
  private static Running live;
  private static int port;

  @BeforeAll
  static void startServersAndConsumers() throws Exception {
    servers = PlantedServers.start();
    database = servers.postgres().dataSource(servers.postgres().createDatabase());
    IdemboxSchema.of(database).migrate();
    execute(FaultyPlugin.TABLES);
    servers.grantAsTheReadmeSays(
        database, "grant insert on ledger to billing; grant select on refused to billing");
    servers.allow(ResourceType.TOPIC, TOPIC, AclOperation.READ);
    servers.allow(ResourceType.TOPIC, TOPIC, AclOperation.DESCRIBE_CONFIGS);
    servers.allow(ResourceType.GROUP, "*", AclOperation.READ);
    produceOrders();
    PluginJar.write(
        Files.createDirectories(folder.resolve("plugins")).resolve("faulty.jar"),
        FaultyPlugin.SOURCES);
    port = PlantedServers.freePort();
    Files.writeString(
        folder.resolve("idembox.yaml"),
        """
        plugins: {folder: plugins}
        consumer: {name: live, max-attempts: 1, shutdown-budget: 10s, dead-letter-topic: %s}
        http: {port: %d}
        effects:
          - class: plugged.Note
        subscriptions:
          - topics: [%s]
            handler: plugged.Booking
            config: {currency: EUR}
        """
            .formatted(LETTERS, port, TOPIC));
    String name = text("select current_database()");
    idembox = Program.in(folder).with(servers.variables(folder, name));
    stopped = idembox.with(Map.of("IDEMBOX_CONSUMER_NAME", "stopped", "IDEMBOX_HTTP_PORT", "0"));
    // Its classes are kept for the JVMs that start after it, which are there sooner.
    Path archive = folder.resolve("classes.jsa");
    idembox.with("IDEMBOX_JAVA_OPTS", "-XX:ArchiveClassesAtExit=" + archive).run("doctor");
    String quick = "-XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=" + archive + " -Xlog:disable";
    idembox = idembox.with("IDEMBOX_JAVA_OPTS", quick);
    stopped = stopped.with("IDEMBOX_JAVA_OPTS", quick);
    live = idembox.service("run");
    awaitWorked("live", live);
    try (Running other = stopped.service("run", "--json")) {
      awaitWorked("stopped", other);
      other.terminate();
      Ran ran = other.ran();
      assertThat(ran.code()).as("%s", ran).isEqualTo(143);
      for (String line : ran.out().lines().toList()) {
        assertThat(Json.MAPPER.readTree(line).path("formattedMessage").asText()).isNotEmpty();
      }
    }
  }

  @AfterAll
  static void stop() {
    try {
      if (live != null) {
        live.terminate();
        assertThat(live.ran().code()).isEqualTo(143);
      }
    } finally {
      if (servers != null) {
        servers.close();
      }
    }
  }

  @Test
  void theCommandLineHelps() throws Exception {
    Running help = idembox.start("--help");
    Running none = idembox.start();
    Running misspelt = idembox.start("dead-leters", "list");
    Running group = idembox.start("dead-letters");
    Running option = idembox.start("replay", "--form-offset", "3");
    Running number = idembox.start("replay", "--topic", TOPIC, "--partition", "one");
    Running completion = idembox.start("completion");

    help.ran().good().says("run", "dead-letters", "Exit codes", "143");
    none.ran().refuses(2, "a command is missing", "--help");
    misspelt.ran().refuses(2, "dead-leters", "dead-letters");
    group.ran().refuses(2, "a command is missing", "idembox dead-letters --help");
    option.ran().refuses(2, "--form-offset", "--from-offset");
    number.ran().refuses(2, "--partition", "'one'", "idembox replay --help");
    Path script = Files.writeString(folder.resolve("completion"), completion.ran().good().out());
    Process bash = new ProcessBuilder("bash", "-n", script.toString()).inheritIO().start();
    assertThat(bash.waitFor()).as("bash reads the completion").isZero();
  }

  @Test
  void migrateTellsMakesAndChecksTheSchema() throws Exception {
    Program empty = idembox.with(servers.owner(folder, servers.postgres().createDatabase()));
    Running sql = empty.start("migrate", "--print-sql");
    Running invalid = empty.start("migrate", "--validate");
    sql.ran().good().says("create schema", "create table idembox.inbox");
    invalid.ran().refuses(4, "idembox migrate");

    empty.run("migrate").good().says("up to date");
    Running again = empty.start("migrate", "--json");
    Running valid = empty.start("migrate", "--validate", "--json");
    Running nothing = empty.start("migrate", "--print-sql", "--json");
    Running both = empty.start("migrate", "--print-sql", "--validate");
    assertThat(answer(again.ran(), "migrate").get("migrated").asBoolean()).isTrue();
    assertThat(answer(valid.ran(), "migrate --validate").get("valid").asBoolean()).isTrue();
    assertThat(answer(nothing.ran(), "migrate --print-sql").get("sql").asText()).isEmpty();
    both.ran().refuses(2, "--print-sql", "--validate");
  }

  @Test
  void doctorFindsNothingOrSaysWhatToDo() throws Exception {
    Running well = idembox.start("doctor");
    Running json = idembox.start("doctor", "--json");
    Running ill = idembox.with("IDEMBOX_REDIS_URI", "redis://127.0.0.1:1").start("doctor");
    Running secret =
        idembox.with("IDEMBOX_REDIS_PASSWORD", "planted-wrong").start("doctor", "--json");
    Running argument = idembox.start("doctor", "everything");

    well.ran().good().says("no errors", "kafka.reachable", "postgres.usable");
    assertThat(answer(json.ran(), "doctor").findValuesAsText("severity")).doesNotContain("ERROR");
    ill.ran().exits(1).says("ERROR", "127.0.0.1:1", "->", "1 error");
    assertThat(answer(secret.ran().exits(1), "doctor").findValuesAsText("code")).contains("redis");
    argument.ran().refuses(2, "everything");
  }

  @Test
  void statusTellsHowTheConsumerStands() throws Exception {
    Running people = idembox.start("status");
    Running json = stopped.start("status", "--json");
    Running never = idembox.with("IDEMBOX_CONSUMER_NAME", "nobody").start("status");
    Running away =
        idembox
            .with("IDEMBOX_POSTGRES_URL", "jdbc:postgresql://127.0.0.1:1/gone")
            .with("IDEMBOX_POSTGRES_CONNECTION_TIMEOUT", "500ms")
            .start("status");

    people.ran().good().says("live", "stable", "1 member", TOPIC + "-0", TOPIC + "-1");
    JsonNode status = answer(json.ran(), "status");
    assertThat(status.get("members").asInt()).isZero();
    assertThat(status.get("partitions")).hasSize(2);
    assertThat(status.findValuesAsText("lag")).allMatch("0"::equals);
    never.ran().refuses(6, "consumer nobody has never run on this database", "idembox run");
    away.ran().refuses(4, "127.0.0.1:1");
  }

  @Test
  void deadLettersAreListedShownRetriedAndDiscarded() throws Exception {
    Running people = idembox.start("dead-letters", "list");
    Running json = idembox.start("dead-letters", "list", "--json");
    Running state = idembox.start("dead-letters", "list", "--state", "opne");
    Running none = idembox.start("dead-letters", "list", "--limit", "0");
    people.ran().good().says("ID", "open", TOPIC + "-", "IllegalStateException");
    assertThat(answer(json.ran(), "dead-letters list").size()).isPositive();
    state.ran().refuses(2, "opne", "did you mean 'open'");
    none.ran().refuses(2, "limit");

    String first = letter("live", "r0");
    String second = letter("live", "r1");
    Running show = idembox.start("dead-letters", "show", first);
    Running shown = idembox.start("dead-letters", "show", first, "--json");
    Running unknown = idembox.start("dead-letters", "show", "999999");
    Running word = idembox.start("dead-letters", "show", "first");
    Running again = idembox.start("dead-letters", "retry", first);
    show.ran().good().says("order r0 is refused", "{\"id\":\"r0\"}", "message id");
    JsonNode content = answer(shown.ran(), "dead-letters show").get("content");
    assertThat(content.at("/value/text").asText()).isEqualTo("{\"id\":\"r0\"}");
    unknown.ran().refuses(6, "consumer live has no dead letter 999999");
    word.ran().refuses(2, "'first'");
    again.ran().exits(1).says(first, "failed again", "IllegalStateException");

    execute("delete from refused where id in ('r0', 'r1')");
    Running handled = idembox.start("dead-letters", "retry", first, second, "--json");
    Running which = idembox.start("dead-letters", "retry");
    Running away = idembox.start("dead-letters", "retry", first, "--url", "http://127.0.0.1:1");
    Running token =
        idembox
            .with("IDEMBOX_HTTP_TOKEN_FILE", wrongToken().toString())
            .start("dead-letters", "retry", first);
    assertThat(answer(handled.ran().good(), "dead-letters retry").findValuesAsText("handled"))
        .containsExactly("true", "true");
    which.ran().refuses(2, "ids", "--all");
    away.ran().refuses(4, "No service answers at http://127.0.0.1:1", "--url");
    token.ran().refuses(4, "token", "http.token");
    Ran once = idembox.run("dead-letters", "retry", "999999", first, "--json").exits(6);
    assertThat(answer(once, "dead-letters retry").findValuesAsText("refused").toString())
        .contains("there is no dead letter 999999", "dead letter " + first + " is retried");
    await().atMost(SOON).until(() -> count("select count(*) from sent where id = 'r0'") == 1);

    String third = letter("live", "r2");
    Running why = idembox.start("dead-letters", "discard", third);
    Running discarded = idembox.start("dead-letters", "discard", third, "--why", "known", "--json");
    why.ran().refuses(2, "--why");
    assertThat(answer(discarded.ran(), "dead-letters discard").at("/0/done").asBoolean()).isTrue();
    Running twice = idembox.start("dead-letters", "discard", third, "--why", "again");
    Running fourth =
        idembox.start("dead-letters", "discard", letter("live", "r3"), "--why", "known");
    twice.ran().exits(6).says(third, "is discarded already");
    fourth.ran().good().says("discarded");
    assertThat(audited("live", "dead-letters discard"))
        .contains("[" + third + "]: known | command | done")
        .contains("[" + third + "]: again | command | refused: " + third + " is discarded already");
    // The service, which does it, has the note: who asked for it is in there.
    assertThat(audited("live", "dead-letters retry"))
        .contains(first + " | api | done", first + " | api | refused");
  }

  /**
   * C54 (c): from the start, the topic for dead letters may not be written. What the others do does
   * not wait for that, and it is repaired by the right alone.
   */
  @Test
  void c54DeadLettersThatMayNotBeCopiedAreCopiedOnceTheyMay() throws Exception {
    await().atMost(SOON).until(() -> live.output().contains("needs WRITE"));
    JsonNode status = answer(idembox.run("status", "--json"), "status");
    assertThat(status.findValuesAsText("lag")).containsExactly("0", "0");
    idembox.run("doctor").good().says("kafka.dead_letters", "WRITE on topic " + LETTERS);
    String unrelayed =
        "select count(*) from idembox.dead_letter l join idembox.consumer c on c.id = l.consumer_id"
            + " where c.name = 'live' and l.state = 0 and l.relayed_at is null";
    assertThat(count(unrelayed)).isPositive();
    assertThat(live.output().lines().filter(line -> line.contains("needs WRITE"))).hasSize(1);

    servers.allow(ResourceType.TOPIC, LETTERS, AclOperation.WRITE);

    await().atMost(SOON).until(() -> count(unrelayed) == 0);
    assertThat(copies())
        .doesNotHaveDuplicates()
        .contains(letter("live", "r4"), letter("live", "r5"));
    idembox.run("doctor").good().says("topic " + LETTERS + " may be written");
  }

  /** The ids of the letters that stand in their topic. */
  private static List<String> copies() {
    TopicPartition at = new TopicPartition(LETTERS, 0);
    List<String> ids = new ArrayList<>();
    try (KafkaConsumer<String, String> reader =
        new KafkaConsumer<>(servers.kafka(), new StringDeserializer(), new StringDeserializer())) {
      reader.assign(List.of(at));
      reader.seekToBeginning(List.of(at));
      long end = reader.endOffsets(List.of(at)).get(at);
      await()
          .atMost(SOON)
          .until(
              () -> {
                for (var copy : reader.poll(Duration.ofMillis(200))) {
                  ids.add(
                      new String(
                          copy.headers().lastHeader("idembox-letter-id").value(),
                          StandardCharsets.UTF_8));
                }
                return reader.position(at) >= end;
              });
    }
    return ids;
  }

  /** A role that may only look has its answers; what it may not do is named. */
  @Test
  void aRightThatIsMissingIsNamed() throws Exception {
    execute(
        "create role looker login password '%s'; grant usage on schema idembox to looker;"
                .formatted(PlantedServers.POSTGRES)
            + " grant select on all tables in schema idembox to looker;"
            + " create role nobody login password '%s'".formatted(PlantedServers.POSTGRES));
    Program looker = stopped.with("IDEMBOX_POSTGRES_USER", "looker");
    Program nobody = stopped.with("IDEMBOX_POSTGRES_USER", "nobody");
    Running status = looker.start("status");
    Running letters = looker.start("dead-letters", "list");
    Running effects = looker.start("effects", "list");
    Running doctor = looker.start("doctor");
    Running run = looker.start("run");
    Running replay = looker.start("replay");
    Running discard = looker.start("dead-letters", "discard", "1", "--why", "x");
    Running prune = looker.start("inbox", "prune");
    Running none = nobody.start("status");
    Running noRun = nobody.start("run");

    status.ran().good().says("stopped");
    letters.ran().good();
    effects.ran().good();
    doctor.ran().exits(1).says("postgres.rights", "Role looker lacks rights", "idembox.inbox");
    Ran refused = run.ran();
    assertThat(refused.code()).as("%s", refused).isEqualTo(4);
    assertThat(refused.err()).contains("Role looker lacks rights", "insert on idembox.inbox");
    replay.ran().refuses(4, "permission denied for table audit", "looker");
    discard.ran().refuses(4, "permission denied for table audit", "looker");
    prune.ran().refuses(4, "permission denied for table audit", "looker");
    none.ran().refuses(4, "permission denied for schema idembox", "nobody");
    assertThat(noRun.ran().err()).contains("Role nobody lacks rights", "usage on schema idembox");
  }

  @Test
  void deadLettersAreExported() throws Exception {
    Running toFile = stopped.start("dead-letters", "export", "--out", "letters.jsonl", "--json");
    Running lines = stopped.start("dead-letters", "export", "--state", "all");
    assertThat(answer(toFile.ran(), "dead-letters export").get("letters").asInt()).isEqualTo(ODD);
    List<String> printed = lines.ran().good().out().lines().toList();
    assertThat(printed).hasSize(ODD);
    assertThat(Files.readAllLines(folder.resolve("letters.jsonl"))).isEqualTo(printed);
    for (String line : printed) {
      assertThat(JsonShape.of("dead-letters show").differences(Json.MAPPER.readTree(line)))
          .isEmpty();
    }
    Running there = stopped.start("dead-letters", "export", "--out", "letters.jsonl");
    Running nowhere = stopped.start("dead-letters", "export", "--out", "no/such/folder");
    there.ran().refuses(6, "letters.jsonl", "exists already");
    nowhere.ran().refuses(6, "no/such/folder");
  }

  @Test
  void effectsAreListedShownDecidedAndForgotten() throws Exception {
    Running people = idembox.start("effects", "list");
    Running json = idembox.start("effects", "list", "--json");
    Running guard = idembox.start("effects", "list", "--guard", "--json");
    Running state = idembox.start("effects", "list", "--state", "heldd");
    people.ran().good().says("note[u", "held", "LAST ERROR");
    assertThat(answer(json.ran(), "effects list").size()).isPositive();
    assertThat(answer(guard.ran(), "effects list").size()).isPositive();
    state.ran().refuses(2, "heldd", "did you mean 'held'");

    Running show = idembox.start("effects", "show", "note", "u0");
    Running shown = idembox.start("effects", "show", "note", "u0", "--json");
    Running unknown = idembox.start("effects", "show", "note", "u99");
    Running noPart = idembox.start("effects", "show", "note");
    Running noVerdict = idembox.start("effects", "resolve", "note", "u0");
    Running badReceipt = idembox.start("effects", "resolve", "note", "u0", "--receipt", "{");
    show.ran().good().says("note[u0]", "held", "guard", "in-doubt");
    assertThat(answer(shown.ran(), "effects show").at("/guard/state").asText())
        .isEqualTo("in-doubt");
    unknown.ran().refuses(6, "neither journal nor guard know", "note[u99]");
    noPart.ran().refuses(2, "PART");
    noVerdict.ran().refuses(2, "--done", "--not-done");
    badReceipt.ran().refuses(2, "the receipt is not JSON");

    Running done =
        idembox.start(
            "effects",
            "resolve",
            "note",
            "u0",
            "--receipt",
            "\"seen\"",
            "--why",
            "asked",
            "--json");
    Running notDone = idembox.start("effects", "resolve", "note", "u1", "--not-done");
    Running forgotten = idembox.start("effects", "forget", "note", "u2");
    Running unknownToo = idembox.start("effects", "forget", "note", "u99");
    assertThat(answer(done.ran().good(), "effects resolve").get("journal").asText())
        .isEqualTo("applied");
    notDone.ran().good().says("note[u1]", "journal applied");
    forgotten.ran().good().says("note[u2]");
    unknownToo.ran().refuses(6, "note[u99]");
    Running settled = idembox.start("effects", "resolve", "note", "u0", "--not-done");
    Running json2 = idembox.start("effects", "forget", "note", "u3", "--json");
    settled.ran().refuses(6, "note[u0]", "effects show");
    answer(json2.ran().good(), "effects forget");
    assertThat(count("select count(*) from sent where id = 'u0'")).isZero();
    assertThat(audited("live", "effects resolve done")).contains("note[u0] | command | done");
    assertThat(audited("live", "effects resolve not done"))
        .contains("note[u1] | command | done", "note[u0] | command | refused");
    assertThat(audited("live", "effects forget"))
        .contains("note[u2] | command | done", "note[u99] | command | refused");
  }

  @Test
  void theInboxIsMeasuredPrunedAndForgotten() throws Exception {
    Running people = stopped.start("inbox", "stats");
    Running json = stopped.start("inbox", "stats", "--json");
    Running prune = stopped.start("inbox", "prune");
    Running pruned = stopped.start("inbox", "prune", "--json");
    Running range = forget("5", "2");
    Running missing = stopped.start("inbox", "forget", "--topic", TOPIC, "--partition", "0");
    Running other =
        stopped.start(
            "inbox", "forget", "--topic", "other", "--partition", "0", "--from", "0", "--to", "5");
    people.ran().good().says("inbox", "effect journal", "BYTES");
    answer(json.ran(), "inbox stats");
    prune.ran().good();
    answer(pruned.ran(), "inbox prune");
    range.ran().refuses(2, "--from", "--to");
    missing.ran().refuses(2, "--from");
    other.ran().refuses(6, "stopped", "other-0");

    assertThat(answer(forget("0", "1", "--json").ran(), "inbox forget").get("messages").asInt())
        .isEqualTo(1);
    forget("1", "3").ran().good().says("2 messages forgotten");
    // And they are handled again by a replay.
    JsonNode would = answer(stopped.run("replay", "--dry-run", "--json"), "replay");
    assertThat(would.get("handled").asInt()).isEqualTo(3);
    JsonNode did = answer(stopped.run("replay", "--json"), "replay");
    assertThat(did.get("handled").asInt()).isEqualTo(3);
    assertThat(did.get("effectsPerformed").asInt()).isZero();
    stopped.run("replay").good().says("(100.0 %)", "0 handled", "finished");
    assertThat(audited("stopped", "inbox forget")).contains("orders-0 1..3 | command | done");
    assertThat(audited("stopped", "inbox prune"))
        .contains(
            "what is past its retention | command | 0 inbox rows, 0 effects and 0 dead letters");
    assertThat(audited("stopped", "replay"))
        .contains(
            "orders-0 0..12, orders-1 0..12 | command"
                + " | done: 24 read, 21 skipped, 3 handled, 0 ignored, 0 dead")
        .noneMatch(note -> note.contains("--dry-run"));
  }

  @Test
  void replayRefusesWhatCannotBeRead() throws Exception {
    Running beside = idembox.start("replay", "--json");
    Running offset = stopped.start("replay", "--from-offset", "2");
    Running both =
        stopped.start(
            "replay",
            "--topic",
            TOPIC,
            "--partition",
            "0",
            "--from-offset",
            "2",
            "--from-time",
            "2026-01-01T00:00:00Z");
    Running time = stopped.start("replay", "--from-time", "yesterday");
    Running topic = stopped.start("replay", "--topic", "other");
    Running backwards =
        stopped.start(
            "replay",
            "--topic",
            TOPIC,
            "--partition",
            "0",
            "--from-offset",
            "5",
            "--to-offset",
            "2");
    Running rate = stopped.start("replay", "--rate", "-1");
    Running late = stopped.start("replay", "--from-time", "2100-01-01T00:00:00Z");
    // These two wait more than they compute.
    Running away =
        stopped
            .with("IDEMBOX_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1")
            .launch("replay", "--dry-run");
    Running password =
        stopped
            .with(
                "IDEMBOX_KAFKA_SASL_JAAS_CONFIG",
                "org.apache.kafka.common.security.plain.PlainLoginModule required"
                    + " username=\"billing\" password=\"planted-wrong\";")
            .launch("replay");

    JsonNode live = answer(beside.ran().good(), "replay");
    assertThat(live.get("notes").toString()).contains("is live with 1 member");
    assertThat(live.get("skipped")).isEqualTo(live.get("read"));
    offset.ran().refuses(2, "--topic", "--partition");
    both.ran().refuses(2, "an offset or a time");
    time.ran().refuses(2, "'yesterday'", "2026-");
    topic.ran().refuses(6, "other", TOPIC);
    backwards.ran().refuses(2, "--from-offset", "--to-offset");
    rate.ran().refuses(2, "--rate");
    late.ran().good().says("it starts at its end", "0 read");
    away.ran().refuses(4, "127.0.0.1:1");
    password.ran().refuses(4, "127.0.0.1", "Authentication failed");
  }

  @Test
  void rewindMovesAStoppedGroup() throws Exception {
    Running dry = stopped.start("rewind", "--to-earliest", "--dry-run");
    Running running = idembox.start("rewind", "--to-earliest");
    Running nowhere = stopped.start("rewind");
    Running offset = stopped.start("rewind", "--to-offset", "2");
    Running beyond =
        stopped.start("rewind", "--to-offset", "900", "--topic", TOPIC, "--partition", "0");
    Running topic = stopped.start("rewind", "--to-latest", "--topic", "other");
    dry.ran().good().says(TOPIC + "-0", "nothing was changed");
    running.ran().refuses(6, "group live has 1 member", "stop the consumer first");
    nowhere.ran().refuses(2, "--to-earliest");
    offset.ran().refuses(2, "--topic", "--partition");
    beyond.ran().refuses(6, TOPIC + "-0 holds offsets 0 to", "900");
    topic.ran().refuses(6, "other");

    JsonNode moved = answer(stopped.run("rewind", "--to-earliest", "--json"), "rewind");
    assertThat(moved.findValuesAsText("to")).containsExactly("0", "0");
    stopped.run("rewind", "--to-latest").good().says("PARTITION");
    assertThat(audited("stopped", "rewind"))
        .as("the dry run and the refusals changed nothing")
        .hasSize(2)
        .allMatch(note -> note.endsWith(" | command | done"));
  }

  @Test
  void rebuildMakesRowsAnewUnderAnotherName() throws Exception {
    String[] names = {"rebuild", "--as", "projection", "--of", "stopped"};
    Running dry = idembox.start(and(names, "--dry-run", "--json"));
    Running self = idembox.start("rebuild", "--as", "x", "--of", "x");
    Running nobody = idembox.start("rebuild", "--as", "x", "--of", "nobody");
    Running taken = idembox.start("rebuild", "--as", "live", "--of", "stopped");
    Running takenDry = idembox.start("rebuild", "--as", "live", "--of", "stopped", "--dry-run");
    Running half = idembox.start("rebuild", "--as", "x");
    assertThat(answer(dry.ran(), "rebuild").get("recordsInherited").asInt()).isPositive();
    self.ran().refuses(2, "--as must be another name than --of");
    nobody.ran().refuses(6, "consumer nobody has never run on this database");
    taken.ran().refuses(6, "live", "no rebuild of stopped");
    takenDry.ran().refuses(6, "live", "no rebuild of stopped");
    half.ran().refuses(2, "--of");

    long sent = count("select count(*) from sent where id like 'o%'");
    // The orders that are refused still are: bad news, and nobody is noted twice.
    Ran ran = idembox.run(and(names, "--json"));
    JsonNode rebuilt = answer(ran.exits(1), "rebuild");
    assertThat(rebuilt.get("finished").asBoolean()).isTrue();
    assertThat(rebuilt.get("dead").asInt()).isPositive();
    assertThat(count("select count(*) from sent where id like 'o%'")).isEqualTo(sent);
    idembox.run(names).good().says("skipped (100.0 %)");
    assertThat(audited("live", "rebuild"))
        .as("the dry run changed nothing")
        .hasSize(3)
        .anyMatch(note -> note.startsWith("as live of stopped") && note.endsWith(" | refused"))
        .anyMatch(note -> note.contains(" | command | done: 24 read, 24 skipped"));
  }

  @Test
  void configTellsTheValuesInForceAndWhatThereIsToSet() throws Exception {
    Running people = idembox.start("config");
    Running json = idembox.start("config", "--json");
    Running explain = idembox.start("config", "--explain", "retention");
    Running explained = idembox.start("config", "--explain", "--json");
    Running word = idembox.start("config", "--explain", "nonsense");
    Running misspelt = idembox.with("IDEMBOX_CONSUMER_CONCURENCY", "2").start("config");
    Running file = idembox.start("config", "--config", "elsewhere.yaml");
    Running redis =
        idembox.with("IDEMBOX_REDIS_URI", "redis://:planted-in-a-url@127.0.0.1").start("config");
    Running postgres =
        idembox
            .with("IDEMBOX_POSTGRES_URL", "jdbc:postgresql://h/d?password=planted-in-a-url")
            .start("config");

    people.ran().good().says("consumer.name: live", "http.token: ", "idembox.yaml");
    answer(json.ran(), "config");
    explain.ran().good().says("inbox.retention", "IDEMBOX_INBOX_RETENTION");
    assertThat(answer(explained.ran(), "config --explain").size()).isGreaterThan(50);
    word.ran().refuses(6, "nonsense");
    misspelt.ran().refuses(3, "IDEMBOX_CONSUMER_CONCURENCY", "IDEMBOX_CONSUMER_CONCURRENCY");
    file.ran().refuses(3, "elsewhere.yaml");
    redis.ran().refuses(3, "redis.uri", "redis.password");
    postgres.ran().refuses(3, "postgres.url", "user or password");
  }

  @Test
  void runRefusesInTimeAndEndsAsItIsTold() throws Exception {
    Program third = stopped.with("IDEMBOX_CONSUMER_NAME", "third");
    Running accepted =
        third
            .with("IDEMBOX_HTTP_PORT", "" + port)
            .start("run", "--accept-resolver-change", "--adopt-offsets");
    Running taken = third.with("IDEMBOX_HTTP_PORT", "" + port).start("run");
    Running redis = third.with("IDEMBOX_REDIS_URI", "redis://127.0.0.1:1").start("run");
    Running key = third.with("IDEMBOX_EFFECTS_0__CLASS", "plugged.Gone").start("run");
    Running option = third.start("run", "--adopt-cluster", "borrowed");
    Ran refused = taken.ran();
    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.err()).contains("http.port", "127.0.0.1:" + port).doesNotContain("\tat ");
    assertThat(redis.ran().err()).contains("error: ", "127.0.0.1:1").doesNotContain("\tat ");
    assertThat(key.ran().code()).isEqualTo(3);
    option.ran().refuses(2, "borrowed", "COPY", "MOVED");

    assertThat(accepted.ran().code()).isEqualTo(4);
    assertThat(audited("third", "run"))
        .containsExactly("--adopt-offsets --accept-resolver-change | command | done");

    execute("insert into refused select 'o' || i from generate_series(0, " + GOOD + ") i");
    try (Running third2 = third.launch("run")) {
      await()
          .atMost(SOON)
          .until(() -> third2.output().contains("HTTP on") || !third2.process().isAlive());
      third2.terminate();
      assertThat(third2.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
      Ran ended = third2.ran();
      assertThat(ended.code()).as("%s", ended).isEqualTo(143);
      assertThat(ended.err()).doesNotContain("error:");
    } finally {
      execute("delete from refused where id like 'o%'");
    }
  }

  @Test
  void theApiShowsNoSecret() throws Exception {
    for (String path :
        List.of(
            "status",
            "report",
            "inbox/stats",
            "dead-letters",
            "dead-letters/" + letter("live", "r4"),
            "dead-letters/x",
            "effects",
            "effects/note?part=u4",
            "nothing")) {
      HttpResponse<String> answer = get("/api/" + path, PlantedServers.TOKEN);
      assertThat(answer.body() + answer.headers()).as(path).doesNotContain(Program.PLANTED);
      assertThat(get("/api/" + path, "planted-guess").body())
          .as(path)
          .contains("token")
          .doesNotContain(Program.PLANTED);
    }
    for (String path : List.of("/metrics", "/health/live", "/health/ready", "/health/started")) {
      HttpResponse<String> answer = get(path, "none");
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      assertThat(answer.body()).as(path).doesNotContain(Program.PLANTED);
    }
    assertThat(live.output()).contains("Configuration in force");
  }

  private static Running forget(String from, String to, String... more) {
    return stopped.start(
        and(
            new String[] {
              "inbox", "forget", "--topic", TOPIC, "--partition", "0", "--from", from, "--to", to
            },
            more));
  }

  private static String[] and(String[] first, String... more) {
    return java.util.stream.Stream.of(first, more)
        .flatMap(java.util.Arrays::stream)
        .toArray(String[]::new);
  }

  /** The JSON, which looks as the README says. */
  private static JsonNode answer(Ran ran, String command) throws Exception {
    JsonNode json = ran.json();
    assertThat(JsonShape.of(command).differences(json)).as("%s", ran).isEmpty();
    return json;
  }

  /** What is on record, of the user of this JVM. */
  private static List<String> audited(String consumer, String action) throws SQLException {
    List<String> notes = new ArrayList<>();
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select concat_ws(' | ', target, via, outcome), who from idembox.audit where"
                    + " consumer"
                    + " = '%s' and action = '%s' and at > now() - interval '1 hour'"
                        .formatted(consumer, action))) {
      while (row.next()) {
        notes.add(row.getString(1));
        assertThat(row.getString(2)).startsWith(System.getProperty("user.name"));
      }
    }
    return notes;
  }

  private static Path wrongToken() throws Exception {
    return Files.writeString(folder.resolve("wrong-token"), "planted-wrong-token");
  }

  private static HttpResponse<String> get(String path, String token) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + token)
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static void produceOrders() throws Exception {
    try (Admin admin = Admin.create(servers.kafka())) {
      admin
          .createTopics(
              List.of(new NewTopic(TOPIC, 2, (short) 1), new NewTopic(LETTERS, 1, (short) 1)))
          .all()
          .get();
    }
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(servers.kafka(), new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < GOOD; i++) {
        send(producer, i % 2, "o" + i);
      }
      for (int i = 0; i < ODD; i++) {
        execute(
            "insert into refused values ('r" + i + "'); insert into unsure values ('u" + i + "')");
        send(producer, i % 2, "r" + i);
        send(producer, i % 2, "u" + i);
      }
    }
  }

  private static void send(KafkaProducer<String, String> producer, int partition, String id)
      throws Exception {
    ProducerRecord<String, String> record =
        new ProducerRecord<>(TOPIC, partition, id, "{\"id\":\"" + id + "\"}");
    record.headers().add("message-id", id.getBytes(StandardCharsets.UTF_8));
    producer.send(record).get();
  }

  private static void awaitWorked(String consumer, Running process) {
    await("what " + consumer + " has to do")
        .atMost(SOON)
        .failFast(() -> assertThat(process.process().isAlive()).as(process::said).isTrue())
        .until(
            () ->
                count(
                            "select count(*) from idembox.dead_letter l join idembox.consumer c"
                                + " on c.id = l.consumer_id where c.name = '"
                                + consumer
                                + "'")
                        + count(
                            "select count(*) from idembox.effect e join idembox.consumer c"
                                + " on c.namespace_id = e.namespace_id where e.state in (2, 4)"
                                + " and c.name = '"
                                + consumer
                                + "'")
                    == GOOD + 2 * ODD);
  }

  private static String letter(String consumer, String order) throws SQLException {
    return text(
        "select l.id::text from idembox.dead_letter l join idembox.consumer c on c.id ="
            + " l.consumer_id where c.name = '"
            + consumer
            + "' and l.error like '%order "
            + order
            + " is%'");
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long count(String sql) throws SQLException {
    return Long.parseLong(text(sql));
  }

  private static String text(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).as(sql).isTrue();
      return row.getString(1);
    }
  }
}
