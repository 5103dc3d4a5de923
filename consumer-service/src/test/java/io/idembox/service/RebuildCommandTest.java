package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The command {@code rebuild}: rows anew, and nobody gets a second note. */
final class RebuildCommandTest extends RunningServiceTestBase {
  @Test
  void rowsAreBuiltAnewUnderANewNameAndNothingIsSentAgain() throws Exception {
    for (int i = 0; i < 10; i++) {
      send(i % 2, "m" + i, "{\"id\":\"o" + i + "\"}");
    }
    start(Map.of());
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 10);
    await()
        .atMost(SOON)
        .until(() -> count("select count(*) from idembox.effect where state = 2") == 10);
    stop();
    service = null;
    // Older than every retention: neither the journal nor Redis knows them. Redis is shared by
    // tests, so its records are made unfindable by the namespace.
    execute("delete from idembox.effect");
    execute("update idembox.effect_namespace set name = 'of-long-ago-' || name");
    execute("delete from ledger");

    String[] rebuild = {"rebuild", "--as", "projection", "--of", scope.namespace(), "--json"};
    Ran dry =
        run("rebuild", "--as", "projection", "--of", scope.namespace(), "--dry-run", "--json");
    assertThat(dry.code()).as(dry.err()).isEqualTo(ExitCode.DONE);
    JsonNode would = Json.MAPPER.readTree(dry.out());
    assertThat(would.get("handled").asInt()).isEqualTo(10);
    assertThat(would.get("recordsInherited").asInt()).isEqualTo(10);
    assertThat(count("select count(*) from ledger")).isZero();
    assertThat(count("select count(*) from idembox.consumer")).isEqualTo(1);

    Ran ran = run(rebuild);
    assertThat(ran.code()).as(ran.err()).isEqualTo(ExitCode.DONE);
    JsonNode report = Json.MAPPER.readTree(ran.out());
    assertThat(report.get("finished").asBoolean()).isTrue();
    assertThat(report.get("handled").asInt()).isEqualTo(10);
    assertThat(report.get("effectsInherited").asInt()).isEqualTo(10);
    assertThat(report.get("effectsPerformed").asInt()).isZero();
    assertThat(count("select count(*) from ledger")).isEqualTo(10);
    assertThat(count("select count(*) from sent")).isEqualTo(10);

    Ran again = run("rebuild", "--as", "projection", "--of", scope.namespace());
    assertThat(again.code()).as(again.err()).isEqualTo(ExitCode.DONE);
    assertThat(again.out()).contains("10 read: 10 skipped");
    assertThat(count("select count(*) from sent")).isEqualTo(10);
  }

  @Test
  void namesThatCannotBeAreRefused() throws Exception {
    assertThat(run("rebuild", "--as", "x").code()).isEqualTo(ExitCode.WRONG_ARGUMENTS);
    assertThat(run("rebuild", "--as", "x", "--of", "x").code()).isEqualTo(ExitCode.WRONG_ARGUMENTS);
    Ran unknown = run("rebuild", "--as", "x", "--of", "nobody");
    assertThat(unknown.code()).isEqualTo(ExitCode.NOT_POSSIBLE);
    assertThat(unknown.err()).contains("consumer nobody has never run on this database");

    start(Map.of());
    stop();
    start(Map.of("IDEMBOX_CONSUMER_NAME", "taken-" + scope.namespace()));
    stop();
    service = null;
    Ran taken = run("rebuild", "--as", "taken-" + scope.namespace(), "--of", scope.namespace());
    assertThat(taken.code()).as(taken.err()).isEqualTo(ExitCode.NOT_POSSIBLE);
    assertThat(taken.err()).contains("no rebuild of " + scope.namespace());
  }
}
