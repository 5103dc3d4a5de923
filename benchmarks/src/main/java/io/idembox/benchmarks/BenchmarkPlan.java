package io.idembox.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run does.
 *
 * @param contenders who takes part, where the workload has them; empty for all
 * @param orders how many orders there are
 * @param inboxRows how many rows a large inbox has before a pass
 * @param warmUp whether each contender goes through a run before it is measured
 * @param rounds how many measured runs each contender has
 * @param seconds how long a measured run lasts at least
 * @param jvmOptions of each contender's process
 * @param profile where profiles go, or null if none are taken
 */
record BenchmarkPlan(
    List<Workload> workloads,
    Set<Contender> contenders,
    int orders,
    int partitions,
    long inboxRows,
    boolean warmUp,
    int rounds,
    double seconds,
    List<String> jvmOptions,
    @Nullable Path profile) {
  /** The lists are copied, and the numbers checked. */
  BenchmarkPlan {
    workloads = List.copyOf(workloads);
    contenders = Set.copyOf(contenders);
    jvmOptions = List.copyOf(jvmOptions);
    if (orders < 100 || orders > 5_000_000) {
      throw new IllegalArgumentException("--records must be 100 to 5,000,000, not " + orders);
    }
    if (partitions < 1 || partitions > 64) {
      throw new IllegalArgumentException("--partitions must be 1 to 64, not " + partitions);
    }
    if (inboxRows < 1 || inboxRows > 200_000_000) {
      throw new IllegalArgumentException("--inbox-rows must be 1 to 200,000,000, not " + inboxRows);
    }
    if (rounds < 1 || rounds > 100) {
      throw new IllegalArgumentException("--rounds must be 1 to 100, not " + rounds);
    }
    if (!(seconds >= 0 && seconds <= 600)) {
      throw new IllegalArgumentException("--seconds must be 0 to 600, not " + seconds);
    }
    Set<Contender> chosen = contenders;
    if (workloads.stream().allMatch(workload -> takePart(workload, chosen).isEmpty())) {
      throw new IllegalArgumentException(
          "--contender: none of "
              + contenders
              + " takes part in "
              + workloads
              + "; leave it out to measure all who do");
    }
  }

  /** Who takes part in a workload, in the order of turns. */
  List<Contender> contendersOf(Workload workload) {
    return takePart(workload, contenders);
  }

  private static List<Contender> takePart(Workload workload, Set<Contender> chosen) {
    return workload.contenders().stream()
        .filter(contender -> chosen.isEmpty() || chosen.contains(contender))
        .toList();
  }
}
