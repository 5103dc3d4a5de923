package io.idembox.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ResultsTest {
  private final Results results = new Results();

  @Test
  void theJsonHoldsMediansAndAllRunsByWorkloadAndContender() throws IOException {
    add(Workload.FIRST_PASS, Contender.IDEMBOX_ENQUEUE, 300, 1, 100);
    add(Workload.FIRST_PASS, Contender.IDEMBOX_ENQUEUE, 100, 3, 300);
    add(Workload.FIRST_PASS, Contender.IDEMBOX_ENQUEUE, 200, 2, 200);
    add(Workload.REPLAY, Contender.RAW_POLL, 1_000, 0.5, 90);

    JsonNode json = new JsonMapper().readTree(results.json());

    assertThat(json.fieldNames()).toIterable().containsExactly("workloads");
    assertThat(json.get("workloads").fieldNames())
        .toIterable()
        .containsExactly("first-pass", "replay");
    JsonNode ours = json.at("/workloads/first-pass/idembox-enqueue");
    assertThat(ours.fieldNames())
        .toIterable()
        .containsExactly("messagesPerSecond", "cpuSecondsPer100k", "peakRssMiB", "runs");
    assertThat(ours.get("messagesPerSecond").asDouble()).isEqualTo(200);
    assertThat(ours.get("cpuSecondsPer100k").asDouble()).isEqualTo(2);
    assertThat(ours.get("peakRssMiB").asDouble()).isEqualTo(200);
    assertThat(ours.get("runs")).hasSize(3);
    assertThat(ours.at("/runs/0/messagesPerSecond").asDouble()).isEqualTo(300);
    assertThat(ours.at("/runs/0/seconds").asDouble()).isEqualTo(10);
    assertThat(json.at("/workloads/replay/raw-poll/messagesPerSecond").asDouble()).isEqualTo(1_000);
  }

  @Test
  void theMedianOfAnEvenNumberOfRunsLiesBetweenTheMiddleTwo() {
    add(Workload.MIXED, Contender.SPRING_BATCH, 10, 1, 1);
    add(Workload.MIXED, Contender.SPRING_BATCH, 40, 1, 1);
    add(Workload.MIXED, Contender.SPRING_BATCH, 20, 1, 1);
    add(Workload.MIXED, Contender.SPRING_BATCH, 30, 1, 1);

    assertThat(
            results.median(Workload.MIXED, Contender.SPRING_BATCH, RunFigures::messagesPerSecond))
        .hasValue(25);
  }

  @Test
  void targetsCompareWithTheBestOfThePeers() {
    add(Workload.FIRST_PASS, Contender.IDEMBOX_ENQUEUE, 900, 1.3, 1);
    add(Workload.FIRST_PASS, Contender.SPRING_RECORD_4, 90, 1, 1);
    add(Workload.FIRST_PASS, Contender.SPRING_RECORD_8, 100, 1, 1);
    add(Workload.FIRST_PASS, Contender.HAND_TUNED_4, 1_200, 1, 1);

    assertThat(Targets.of(results))
        .anySatisfy(
            line ->
                assertThat(line)
                    .startsWith("first-pass: idembox-enqueue over spring-record-4/spring-record-8")
                    .contains(" 9.00 ")
                    .endsWith("  met"))
        .anySatisfy(
            line ->
                assertThat(line)
                    .startsWith("first-pass: idembox-enqueue over hand-tuned-1/hand-tuned-4")
                    .contains(" 0.75 ")
                    .endsWith("MISSED"))
        .anySatisfy(
            line ->
                assertThat(line)
                    .startsWith("first-pass, processor")
                    .contains(" 1.30 ")
                    .endsWith("  met"))
        .hasSize(3);
  }

  @Test
  void figuresOfAPassAreRatesOverTheMeasuredTime() {
    Pass pass =
        Pass.between(
                new Moment(1_000_000_000L, 0, 7),
                new Moment(3_000_000_000L, 500_000_000L, 7),
                50_000)
            .plus(new Pass(50_000, 2_000_000_000L, 500_000_000L, 250_000_000L));

    RunFigures figures = RunFigures.of(pass, 123.44);

    assertThat(figures).isEqualTo(new RunFigures(25_000, 1, 0.25, 123.4, 4, 100_000));
  }

  @Test
  void everyWorkloadAndContenderIsFoundByItsName() {
    for (Workload workload : Workload.values()) {
      assertThat(Workload.named(workload.toString())).isEqualTo(workload);
    }
    for (Contender contender : Contender.values()) {
      assertThat(Contender.named(contender.toString())).isEqualTo(contender);
    }
    assertThat(List.of(Workload.values()).toString())
        .isEqualTo(
            "[first-pass, replay, replay-by-id, mixed, effect-after-commit, effect-once, guard-lookup,"
                + " first-pass-latency, replay-by-id-latency, hot-partition, slow-effect, backlog,"
                + " large-inbox]");
  }

  private void add(
      Workload workload, Contender contender, double perSecond, double cpu, double memory) {
    results.add(workload, contender, new RunFigures(perSecond, cpu, 0, memory, 10, 1_000));
  }
}
