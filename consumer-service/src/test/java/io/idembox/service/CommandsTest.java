package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.effect.Effect;
import io.idembox.effect.EffectAttempt;
import io.idembox.effect.EffectCatalog;
import io.idembox.effect.EffectKey;
import io.idembox.effect.EffectName;
import io.idembox.inbox.ConsumerInbox;
import io.idembox.inbox.ConsumerRegistration;
import io.idembox.inbox.DeadLetterContent;
import io.idembox.inbox.DeadLetterDraft;
import io.idembox.inbox.DeadLetterError;
import io.idembox.inbox.InboxClaim;
import io.idembox.inbox.JdbcInbox;
import io.idembox.inbox.MessageIdResolver;
import io.idembox.testkit.PgBouncer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

/** Commands that look at servers and change them, on what a consumer would have left there. */
final class CommandsTest extends ServiceTestBase {
  private static final EffectName<String, String> MAIL =
      EffectName.of("mail", String.class, String.class);

  @Test
  void aConsumerThatNeverRanIsNotMadeByLookingForIt() throws Exception {
    for (String[] command :
        new String[][] {
          {"status"}, {"dead-letters", "list"}, {"effects", "list"}, {"inbox", "stats"}
        }) {
      Ran ran = run(command);
      assertThat(ran.code()).as("%s", List.of(command)).isEqualTo(ExitCode.NOT_POSSIBLE);
      assertThat(ran.err()).contains("has never run on this database");
    }
    assertThat(count("select count(*) from idembox.consumer")).isZero();
  }

  @Test
  void deadLettersAreListedShownExportedAndDiscarded() throws Exception {
    ConsumerInbox inbox = registered();
    long first = letter(inbox, 7, "{\"id\":1}".getBytes(StandardCharsets.UTF_8));
    long second = letter(inbox, 8, new byte[] {(byte) 0xff, 0});

    assertThat(run("dead-letters", "list").out())
        .contains(topic + "-0@7", topic + "-0@8", "IllegalStateException")
        .doesNotContain("{\"id\":1}");
    JsonNode listed = json(run("dead-letters", "list", "--json", "--after", "" + first));
    assertThat(listed).hasSize(1);
    assertThat(listed.get(0).get("id").asLong()).isEqualTo(second);

    JsonNode shown = json(run("dead-letters", "show", "" + first, "--json"));
    assertThat(shown.at("/content/value/text").asText()).isEqualTo("{\"id\":1}");
    assertThat(shown.at("/content/headers/0/name").asText()).isEqualTo("type");
    assertThat(shown.at("/content/error").asText()).contains("java.lang.IllegalStateException");
    assertThat(run("dead-letters", "show", "" + first).out()).contains("{\"id\":1}", "order 7");

    Path file = folder.resolve("letters.jsonl");
    assertThat(run("dead-letters", "export", "--out", file.toString()).code()).isZero();
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(2);
    assertThat(Json.MAPPER.readTree(lines.get(1)).at("/content/value/base64").asText())
        .isEqualTo("/wA=");
    assertThat(run("dead-letters", "export", "--out", file.toString()).code())
        .as("a file that is there is kept")
        .isEqualTo(ExitCode.NOT_POSSIBLE);

    assertThat(run("dead-letters", "discard", "" + first, "--why", "known").code()).isZero();
    assertThat(run("dead-letters", "discard", "" + first, "--why", "again").code())
        .isEqualTo(ExitCode.NOT_POSSIBLE);
    assertThat(
            count(
                "select count(*) from idembox.audit where via = 'command'"
                    + " and action = 'dead-letters discard' and outcome in ('done', 'refused: "
                    + first
                    + " is discarded already')"))
        .isEqualTo(2);
    assertThat(run("dead-letters", "list", "--state", "discarded").out()).contains("@7");
    assertThat(run("dead-letters", "show", "999999").code()).isEqualTo(ExitCode.NOT_POSSIBLE);
    assertThat(run("dead-letters", "list", "--state", "opne").err())
        .contains("did you mean 'open'");
  }

  @Test
  void anEffectThatIsHeldIsDecidedByItsBusinessKey() throws Exception {
    ConsumerInbox inbox = registered();
    held(inbox, "order-1");
    held(inbox, "order-2");
    held(inbox, "order-3");

    JsonNode listed = json(run("effects", "list", "--json"));
    assertThat(listed).hasSize(3);
    assertThat(listed.get(0).at("/key/operation").asText()).isEqualTo("mail.invoice");
    assertThat(run("effects", "list").out()).contains("mail.invoice[order-1]", "held");
    assertThat(run("effects", "show", "mail.invoice", "order-1").out())
        .contains("held", "knows nothing");

    assertThat(
            json(run(
                    "effects",
                    "resolve",
                    "mail.invoice",
                    "order-1",
                    "--receipt",
                    "\"sent\"",
                    "--why",
                    "seen in the archive",
                    "--json"))
                .get("journal")
                .asText())
        .isEqualTo("applied");
    JsonNode done = json(run("effects", "show", "mail.invoice", "order-1", "--json"));
    assertThat(done.get("state").asText()).isEqualTo("done");
    assertThat(done.get("lastError").asText()).contains("seen in the archive");
    assertThat(done.at("/guard/state").asText()).isEqualTo("done");

    assertThat(run("effects", "resolve", "mail.invoice", "order-2", "--not-done").code()).isZero();
    assertThat(json(run("effects", "show", "mail.invoice", "order-2", "--json")).get("state"))
        .hasToString("\"pending\"");
    assertThat(run("effects", "forget", "mail.invoice", "order-3").code()).isZero();
    assertThat(run("effects", "show", "mail.invoice", "order-3").code())
        .isEqualTo(ExitCode.NOT_POSSIBLE);
    assertThat(run("effects", "resolve", "mail.invoice", "order-9", "--done").err())
        .contains("neither journal nor guard know");
    assertThat(run("effects", "resolve", "mail.invoice", "order-2").code())
        .as("a verdict is missing")
        .isEqualTo(ExitCode.WRONG_ARGUMENTS);
    assertThat(run("effects", "list", "--guard").code()).isZero();
  }

  @Test
  void aStoppedGroupIsRewound() throws Exception {
    for (int i = 0; i < 5; i++) {
      send(0, "m" + i, "{\"id\":\"o\"}");
    }
    assertThat(run("rewind", "--to-latest").code()).isZero();
    assertThat(committed(0)).isEqualTo(5);
    assertThat(run("rewind", "--to-earliest", "--dry-run").out())
        .contains(topic + "-0", "nothing was changed");
    assertThat(committed(0)).isEqualTo(5);
    assertThat(run("rewind", "--to-offset", "2", "--topic", topic, "--partition", "0").code())
        .isZero();
    assertThat(committed(0)).isEqualTo(2);
    JsonNode moved = json(run("rewind", "--to-time", "2100-01-01T00:00:00Z", "--json"));
    assertThat(moved.at("/0/to").asLong()).isEqualTo(5);
    assertThat(moved.at("/0/note").asText()).contains("at its end");
    assertThat(run("rewind", "--to-offset", "9", "--topic", topic, "--partition", "0").code())
        .isEqualTo(ExitCode.NOT_POSSIBLE);
    assertThat(run("rewind", "--to-offset", "9").code()).isEqualTo(ExitCode.WRONG_ARGUMENTS);
    assertThat(run("rewind", "--to-time", "yesterday").err()).contains("is not a time");
  }

  /** C34 (b): the same on the tables of an older version. */
  @Test
  void manyInstancesMigrateAnOlderSchemaAtOnce() throws Exception {
    execute(
        """
        drop table idembox.effect_flight;
        alter table idembox.effect drop column sweep_at, drop column listed, drop column waiting;
        create index effect_due on idembox.effect (due_at);
        create index effect_for_people on idembox.effect (state);
        create index effect_queue on idembox.effect (queue);
        alter table idembox.consumer drop column rebuild_of;
        delete from idembox.schema_history where version in ('4', '5', '6');
        """);
    assertThat(run("migrate", "--validate").code()).isEqualTo(ExitCode.SERVER);
    migrateEightTimesAtOnce(Map.of());
    assertThat(run("migrate", "--validate").code()).isZero();
    assertThat(
            count("select count(*) from idembox.schema_history where version in ('4', '5', '6')"))
        .isEqualTo(3);
    assertThat(count("select count(*) from idembox.consumer where rebuild_of is not null"))
        .isZero();
  }

  /** C34 (d): behind a pooler that hands out another session for each transaction. */
  @Test
  void manyInstancesMigrateBehindAPoolerInTransactionMode() throws Exception {
    assumeTrue(PgBouncer.program().isPresent(), "no pgbouncer on this machine (Debian: pgbouncer)");
    try (PgBouncer pooler = PgBouncer.start(database.port(), database.user(), 4)) {
      Map<String, String> pooled =
          Map.of(
              "IDEMBOX_POSTGRES_URL",
              "jdbc:postgresql://127.0.0.1:"
                  + pooler.port()
                  + "/"
                  + database.name()
                  + "?prepareThreshold=0");
      for (int round = 0; round < 2; round++) {
        execute("drop schema if exists idembox cascade");
        migrateEightTimesAtOnce(pooled);
        assertThat(run(pooled, "migrate", "--validate").code()).isZero();
      }
    }
  }

  private void migrateEightTimesAtOnce(Map<String, String> environment) throws Exception {
    ExecutorService eight = Executors.newFixedThreadPool(8);
    try {
      List<Future<Ran>> runs =
          IntStream.range(0, 8)
              .mapToObj(i -> eight.submit(() -> run(environment, "migrate")))
              .toList();
      for (Future<Ran> each : runs) {
        assertThat(each.get().err()).isEmpty();
        assertThat(each.get().code()).isZero();
      }
    } finally {
      eight.shutdownNow();
    }
  }

  private ConsumerInbox registered() {
    JdbcInbox inbox = JdbcInbox.builder(database.dataSource()).build();
    return inbox.open(
        inbox.register(
            new ConsumerRegistration(
                scope.namespace(),
                scope.namespace(),
                null,
                MessageIdResolver.builder().build().fingerprint())),
        EffectCatalog.of(new Mail()),
        null);
  }

  private long letter(ConsumerInbox inbox, long offset, byte[] value) {
    InboxClaim claim =
        new InboxClaim(
            UUID.randomUUID(),
            inbox.topicId(UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8)), topic),
            0,
            offset);
    inbox
        .deadLetters()
        .record(
            new DeadLetterDraft(
                claim,
                new DeadLetterContent(
                    new byte[] {1},
                    value,
                    List.of(new DeadLetterContent.Header("type", new byte[] {65})),
                    Instant.now()),
                DeadLetterError.of("handler", new IllegalStateException("order " + offset)),
                3,
                null));
    return inbox.deadLetters().openAmong(List.of(claim.messageId())).get(0).id();
  }

  private void held(ConsumerInbox inbox, String order) throws Exception {
    int topicId =
        inbox.topicId(UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8)), topic);
    inbox.run(
        List.of(new InboxClaim(UUID.randomUUID(), topicId, 0, 1)),
        batch ->
            batch
                .begin(0)
                .effects()
                .afterCommit(MAIL, EffectKey.of("mail.invoice").id(order), "request"));
    execute(
        "update idembox.effect set state = 4, listed = 4, due_at = null, sweep_at = null, owner = null"
            + " where state in (0, 1)");
  }

  private long committed(int partition) throws Exception {
    try (Admin admin = admin()) {
      return admin
          .listConsumerGroupOffsets(scope.namespace())
          .partitionsToOffsetAndMetadata()
          .get()
          .get(new org.apache.kafka.common.TopicPartition(topic, partition))
          .offset();
    }
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()));
  }

  private static JsonNode json(Ran ran) throws Exception {
    assertThat(ran.err()).isEmpty();
    return Json.MAPPER.readTree(ran.out());
  }

  /** Never performed here. */
  private static final class Mail implements Effect<String, String> {
    @Override
    public EffectName<String, String> name() {
      return MAIL;
    }

    @Override
    public String perform(String request, EffectAttempt attempt) {
      throw new IllegalStateException("Nobody performs this");
    }
  }
}
