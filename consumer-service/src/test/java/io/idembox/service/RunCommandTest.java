package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.JavaProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The command {@code run}, in processes of its own. */
final class RunCommandTest extends ServiceTestBase {
  @Test
  void aHandlerInAJarRunsUntilSigterm() throws Exception {
    send(0, "m1", "{\"id\":\"o1\"}");
    send(0, "m1", "{\"id\":\"o1\"}");
    send(1, "m2", "{\"id\":\"o2\"}");
    try (JavaProcess process = process("run").start()) {
      await().atMost(SOON).until(() -> count("select count(*) from sent") == 2);
      process.terminate();
      assertThat(process.awaitExit(SOON)).isEqualTo(143);
      assertThat(process.output())
          .anyMatch(line -> line.contains("consumer.name: " + scope.namespace()))
          .anyMatch(line -> line.contains("Note is closed"))
          .noneMatch(line -> line.contains(TOKEN));
    }
    assertThat(count("select count(*) from ledger where currency = 'EUR'")).isEqualTo(2);
  }

  @Test
  void aMisspeltKeyRefusesTheStartInTime() throws Exception {
    config = write("consumer.concurency: 2\n");
    long began = System.nanoTime();
    try (JavaProcess process = process("run").start()) {
      assertThat(process.awaitExit(Duration.ofSeconds(10))).isEqualTo(ExitCode.CONFIGURATION);
      assertThat(process.output())
          .anyMatch(line -> line.contains("did you mean 'consumer.concurrency'"));
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void aServerThatIsAwayRefusesTheStartAndIsNamed() throws Exception {
    config = write("");
    Ran ran = run(java.util.Map.of("IDEMBOX_REDIS_URI", "redis://127.0.0.1:1"), "run");
    assertThat(ran.code()).isEqualTo(ExitCode.SERVER);
    assertThat(ran.err()).startsWith("error: ").contains("127.0.0.1:1").doesNotContain("\tat ");
  }

  @Test
  void aClassThatIsNotThereIsRefusedByKeyAndPlace() throws Exception {
    Ran ran = run(java.util.Map.of("IDEMBOX_EFFECTS_0__CLASS", "plugged.Gone"), "run");
    assertThat(ran.code()).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(ran.err())
        .contains("IDEMBOX_EFFECTS_0__CLASS: effects[0].class: there is no class plugged.Gone");
  }

  @Test
  void aKeyThatTheHandlerDoesNotKnowIsRefused() throws Exception {
    config = write("subscriptions[0].config.curency: CHF\n");
    Ran ran = run("run");
    assertThat(ran.code()).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(ran.err())
        .contains("subscriptions[0].config.curency: does not fit into plugged.Booking$Config")
        .contains("currency (String)");
  }
}
