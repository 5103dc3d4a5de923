package io.idembox.demo.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.demo.stage.Progress;
import io.idembox.demo.stage.StopSignal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole demo in the small: the same servers, process, kill and rewind, with fewer orders. */
class DemoRunTest {
  // Stays after a failure, for its log.
  private static final Path FOLDER = Path.of("target", "demo-run-test").toAbsolutePath();

  @Test
  @Timeout(600)
  void everyOrderHasOneLedgerRowAndOneMailAfterAKillInsideASendAndARewind() throws Exception {
    Files.createDirectories(FOLDER);
    for (String log : List.of("consumer.log", "batches.txt")) {
      Files.deleteIfExists(FOLDER.resolve(log));
    }
    DemoPlan plan = new DemoPlan(60, 6, 3, 3, List.of(40));

    DemoRun.Result result = new DemoRun(plan, FOLDER, Progress.silent(), new StopSignal()).run();

    RunFigures figures = result.figures();
    assertThat(result.faults()).isEmpty();
    assertThat(figures.exactlyRight(plan)).as(figures.toString()).isTrue();
    assertThat(figures.produced()).isEqualTo(69);
    assertThat(figures.kills()).isEqualTo(1);
    // Each record came at least once in the first pass and once after the rewind; batches of the
    // killed process may be missing from its log.
    assertThat(figures.deliveries()).isGreaterThanOrEqualTo(69);
    assertThat(figures.skipped()).isGreaterThanOrEqualTo(69);
  }
}
