package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.service.Program.Running;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** A replay beside a live group under load, as processes that are killed. */
final class ReplayKillsJarTest extends ServiceTestBase {
  private static final int MISSED = 200;
  private static final int ALL = 800;

  /** An effect that asks whether an earlier attempt happened: so each is there exactly once. */
  private static final String NOTE =
      """
      package plugged;
      import io.idembox.effect.*;
      import java.sql.Connection;
      import java.time.Duration;
      import javax.sql.DataSource;
      public final class Note implements ResolvableEffect<String, String> {
        public static final EffectName<String, String> NAME = EffectName.of("note", String.class, String.class);
        private final DataSource own;
        public Note(DataSource own) { this.own = own; }
        @Override public EffectName<String, String> name() { return NAME; }
        @Override public EffectPolicy policy() {
          return EffectPolicy.builder().onUnknown(OnUnknown.RESOLVE).lease(Duration.ofSeconds(6)).build();
        }
        @Override public String perform(String id, EffectAttempt attempt) throws Exception {
          ask("insert into sent values (?)", id);
          return id;
        }
        @Override public Resolution<String> resolve(String id, EffectAttempt attempt) throws Exception {
          return ask("select 1 from sent where id = ?", id) ? Resolution.happened(id) : Resolution.didNotHappen();
        }
        private boolean ask(String sql, String id) throws Exception {
          try (Connection c = own.getConnection(); var statement = c.prepareStatement(sql)) {
            statement.setString(1, id);
            return statement.execute() && statement.getResultSet().next();
          }
        }
      }
      """;

  /**
   * The group has jumped over 200 records, which a replay handles while the group handles 600 new
   * ones. The group's member is killed twice, and the replay once.
   */
  @Test
  void nothingIsLostOrDoneTwiceWhenBothAreKilled() throws Exception {
    Program idembox = program();
    produce(0, MISSED);
    idembox.run("rewind", "--to-latest").good();

    ExecutorService load = Executors.newSingleThreadExecutor();
    Running live = idembox.service("run");
    try {
      Future<?> loaded = load.submit(() -> produceInParts(MISSED, ALL));
      await().atMost(SOON).until(() -> count("select count(*) from ledger") > 20);
      try (Running replay = idembox.launch("replay", "--rate", "20")) {
        await().atMost(SOON).until(() -> missedAndDone() >= 20);
        live.kill();
        await().atMost(SOON).until(() -> missedAndDone() >= 40);
        replay.kill();
      }
      assertThat(missedAndDone()).isLessThan(MISSED);
      live = idembox.service("run");
      Running again = idembox.launch("replay", "--json", "--rate", "100");
      live.kill();
      live = idembox.service("run");
      Program.Ran ran = again.ran();
      assertThat(ran.json().get("finished").asBoolean()).as("%s", ran).isTrue();
      assertThat(missedAndDone()).isEqualTo(MISSED);
      loaded.get();
      await().atMost(SOON).until(() -> count("select count(*) from sent") == ALL);
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(count("select count(*) from idembox.effect where state <> 2"))
                      .isZero());
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                JsonNode status = idembox.run("status", "--json").json();
                assertThat(status.findValuesAsText("lag")).containsExactly("0", "0");
                // What the group has jumped is no work of its own: it stays noted as such.
                String worked = "{[%d,%d)}".formatted(MISSED / 2, ALL / 2);
                assertThat(status.findValuesAsText("done")).containsExactly(worked, worked);
              });
    } finally {
      load.shutdownNow();
      live.terminate();
      assertThat(live.ran().code()).isEqualTo(143);
    }
    assertThat(count("select count(*) from ledger")).isEqualTo(ALL);
    assertThat(count("select count(distinct id) from ledger")).isEqualTo(ALL);
    assertThat(count("select count(*) from sent")).isEqualTo(ALL);
    assertThat(count("select count(distinct id) from sent")).isEqualTo(ALL);
    assertThat(count("select count(*) from idembox.inbox")).isEqualTo(ALL);
    assertThat(count("select count(*) from idembox.dead_letter")).isZero();
    assertThat(
            count(
                "select count(*) from idembox.progress where skipped = '{[0,%d)}'"
                    .formatted(MISSED / 2)))
        .isEqualTo(2);
    assertThat(count("select count(*) from idembox.audit where action = 'replay'")).isEqualTo(2);
    assertThat(
            count(
                "select count(*) from idembox.audit where action = 'replay' and outcome = 'begun'"))
        .as("the one that was killed")
        .isEqualTo(1);
  }

  private Program program() throws Exception {
    java.nio.file.Path plugins = Files.createDirectories(folder.resolve("own-plugins"));
    Map<String, String> sources = new java.util.HashMap<>(PluginJar.BOOKING);
    sources.put("plugged/Note.java", NOTE);
    PluginJar.write(plugins.resolve("booking.jar"), sources);
    return Program.in(folder)
        .with(
            Map.of(
                "IDEMBOX_PLUGINS_FOLDER",
                plugins.toString(),
                "IDEMBOX_CONSUMER_BATCH_RECORDS",
                "20",
                // Its successor is let in at once.
                "IDEMBOX_KAFKA_GROUP_INSTANCE_ID",
                "one"));
  }

  private long missedAndDone() throws Exception {
    return count("select count(*) from ledger where substr(id, 2)::int < " + MISSED);
  }

  private Void produceInParts(int from, int to) throws Exception {
    for (int part = from; part < to; part += 50) {
      produce(part, part + 50);
      long handled = (long) part - MISSED - 50;
      // As fast as they are handled, so that there is load all the time.
      await()
          .atMost(SOON)
          .until(
              () ->
                  count("select count(*) from ledger where substr(id, 2)::int >= " + MISSED)
                      >= handled);
    }
    return null;
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
