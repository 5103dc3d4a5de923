package io.idembox.demo.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.demo.stage.Progress;
import io.idembox.demo.stage.StopSignal;
import io.idembox.testkit.EmbeddedServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each scenario in the small: the same servers, processes and kills, with fewer messages. */
@Timeout(300)
class LabTest {
  private static final LabPlan SMALL = new LabPlan(60, 400, 20);

  // Stays after a failure, for its logs.
  private static final Path FOLDER = Path.of("target", "lab-test").toAbsolutePath();

  private static EmbeddedServers servers;

  @BeforeAll
  static void start() throws Exception {
    Files.createDirectories(FOLDER);
    try (var old = Files.list(FOLDER)) {
      for (Path file : old.toList()) {
        Files.delete(file);
      }
    }
    servers = EmbeddedServers.start();
  }

  @AfterAll
  static void stop() {
    servers.close();
  }

  @Test
  void aCrashBeforeTheAckSendsOneMailBehindAKeyAndTwoWithout() throws Exception {
    ScenarioResult result = run(1);

    assertThat(result.faults()).isEmpty();
    assertThat(result.ours().ours().get(Figure.MAILS)).hasValue(1);
    assertThat(result.others().get(0).ours().get(Figure.MAILS)).hasValue(2);
  }

  @Test
  void twoWorkersWithOneJobSendOneMail() throws Exception {
    ScenarioResult result = run(2);

    assertThat(result.faults()).isEmpty();
    assertThat(result.ours().ours().get(Figure.RECEIPTS)).hasValue(1L);
    assertThat(result.others()).hasSize(2);
  }

  @Test
  void aKeyWithAColonIsAKey() throws Exception {
    assertThat(run(3).faults()).isEmpty();
  }

  @Test
  void threeDeliveriesWithACrashBetweenMailAndCommitAreOneRowAndOneMail() throws Exception {
    ScenarioResult result = run(4);

    assertThat(result.faults()).isEmpty();
    assertThat(result.ours().ours().get(Figure.DELIVERIES)).hasValue(3L);
  }

  @Test
  void messagesThatComeAgainOvernightAreSkipped() throws Exception {
    assertThat(run(5).faults()).isEmpty();
  }

  @Test
  void aReplayOfACopiedTopicHandlesWhatIsNewInIt() throws Exception {
    ScenarioResult result = run(6);

    assertThat(result.faults()).isEmpty();
    assertThat(result.ours().ours().get(Figure.SKIPPED)).hasValue(400L);
    assertThat(result.ours().ours().get(Figure.HANDLED)).hasValue(20L);
    assertThat(result.others().get(0).ours().get(Figure.SECONDS)).isPresent();
  }

  private static ScenarioResult run(int id) throws Exception {
    Scenario scenario = Lab.SCENARIOS.get(id - 1);
    assertThat(scenario.id()).isEqualTo(id);
    return new Lab(SMALL, FOLDER, Progress.silent(), new StopSignal())
        .runOn(servers, List.of(scenario))
        .get(0);
  }
}
