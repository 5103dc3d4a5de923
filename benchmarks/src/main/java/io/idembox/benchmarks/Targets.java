package io.idembox.benchmarks;

import static io.idembox.benchmarks.Contender.HAND_TUNED_1;
import static io.idembox.benchmarks.Contender.HAND_TUNED_4;
import static io.idembox.benchmarks.Contender.IDEMBOX_EMPTY_INBOX;
import static io.idembox.benchmarks.Contender.IDEMBOX_ENQUEUE;
import static io.idembox.benchmarks.Contender.IDEMBOX_NO_EFFECT;
import static io.idembox.benchmarks.Contender.IDEMBOX_STATEMENTS;
import static io.idembox.benchmarks.Contender.RAW_POLL;
import static io.idembox.benchmarks.Contender.SPRING_BATCH;
import static io.idembox.benchmarks.Contender.SPRING_BATCH_STATEMENTS;
import static io.idembox.benchmarks.Contender.SPRING_RECORD_4;
import static io.idembox.benchmarks.Contender.SPRING_RECORD_8;
import static io.idembox.benchmarks.Contender.SPRING_SETNX;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Where Idembox must stand, and where it stands. */
final class Targets {
  private static final Contender[] SPRING_RECORD = {SPRING_RECORD_4, SPRING_RECORD_8};
  private static final Contender[] HAND_TUNED = {HAND_TUNED_1, HAND_TUNED_4};

  private final Results results;
  private final List<String> lines = new ArrayList<>();

  private Targets(Results results) {
    this.results = results;
  }

  /** A line for each target whose figures were measured. */
  static List<String> of(Results results) {
    Targets targets = new Targets(results);
    targets.compare();
    return targets.lines;
  }

  private void compare() {
    faster(Workload.FIRST_PASS, IDEMBOX_ENQUEUE, 8.5, SPRING_RECORD);
    faster(Workload.FIRST_PASS, IDEMBOX_ENQUEUE, 1.25, SPRING_BATCH);
    faster(Workload.FIRST_PASS, IDEMBOX_ENQUEUE, 0.85, HAND_TUNED);
    faster(Workload.FIRST_PASS, IDEMBOX_STATEMENTS, 4, SPRING_RECORD);
    faster(Workload.FIRST_PASS, IDEMBOX_STATEMENTS, 1.3, SPRING_BATCH_STATEMENTS);
    faster(Workload.FIRST_PASS_LATENCY, IDEMBOX_ENQUEUE, 16, SPRING_RECORD);
    faster(Workload.REPLAY_BY_ID_LATENCY, IDEMBOX_ENQUEUE, 25, SPRING_RECORD);
    faster(Workload.REPLAY, IDEMBOX_ENQUEUE, 0.7, RAW_POLL);
    faster(Workload.REPLAY, IDEMBOX_ENQUEUE, 12, SPRING_RECORD);
    faster(Workload.REPLAY_BY_ID, IDEMBOX_ENQUEUE, 0.85, HAND_TUNED);
    faster(Workload.EFFECT_AFTER_COMMIT, IDEMBOX_ENQUEUE, 0.45, IDEMBOX_NO_EFFECT);
    faster(Workload.EFFECT_ONCE, IDEMBOX_ENQUEUE, 3, SPRING_SETNX);
    results
        .median(Workload.GUARD_LOOKUP, IDEMBOX_ENQUEUE, RunFigures::messagesPerSecond)
        .ifPresent(
            perSecond ->
                line(
                    "guard-lookup: microseconds for each key",
                    1e6 / perSecond,
                    "below",
                    10,
                    1e6 / perSecond < 10));
    faster(Workload.LARGE_INBOX, IDEMBOX_ENQUEUE, 0.7, IDEMBOX_EMPTY_INBOX);
    growth();
    processor();
  }

  private void faster(Workload workload, Contender ours, double target, Contender... theirs) {
    OptionalDouble own = results.median(workload, ours, RunFigures::messagesPerSecond);
    OptionalDouble best =
        Arrays.stream(theirs)
            .map(peer -> results.median(workload, peer, RunFigures::messagesPerSecond))
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble)
            .max();
    if (own.isPresent() && best.isPresent()) {
      double ratio = own.getAsDouble() / best.getAsDouble();
      String peers = String.join("/", Arrays.stream(theirs).map(Contender::toString).toList());
      line(workload + ": " + ours + " over " + peers, ratio, "at least", target, ratio >= target);
    }
  }

  private void growth() {
    OptionalDouble large =
        results.median(Workload.BACKLOG, IDEMBOX_ENQUEUE, RunFigures::messagesPerSecond);
    OptionalDouble small =
        results.median(Workload.FIRST_PASS, IDEMBOX_ENQUEUE, RunFigures::messagesPerSecond);
    if (large.isPresent() && small.isPresent()) {
      double ratio = large.getAsDouble() / small.getAsDouble();
      line("backlog over first-pass: idembox-enqueue", ratio, "at least", 0.9, ratio >= 0.9);
    }
  }

  private void processor() {
    OptionalDouble own =
        results.median(Workload.FIRST_PASS, IDEMBOX_ENQUEUE, RunFigures::cpuSecondsPer100k);
    OptionalDouble least =
        Arrays.stream(HAND_TUNED)
            .map(peer -> results.median(Workload.FIRST_PASS, peer, RunFigures::cpuSecondsPer100k))
            .filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble)
            .min();
    if (own.isPresent() && least.isPresent()) {
      double ratio = own.getAsDouble() / least.getAsDouble();
      line(
          "first-pass, processor: idembox-enqueue over hand-tuned",
          ratio,
          "at most",
          1.3,
          ratio <= 1.3);
    }
  }

  private void line(String what, double measured, String bound, double target, boolean met) {
    lines.add(
        String.format(
            Locale.ROOT,
            "%-72s %8.2f  (%s %s)  %s",
            what,
            measured,
            bound,
            target,
            met ? "met" : "MISSED"));
  }
}
