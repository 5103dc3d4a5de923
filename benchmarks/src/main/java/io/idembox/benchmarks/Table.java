package io.idembox.benchmarks;

import java.util.Locale;

/** Results for people. */
final class Table {
  private Table() {}

  static String of(Workload workload, Results results) {
    double best =
        results.contendersOf(workload).stream()
            .mapToDouble(c -> perSecond(results, workload, c))
            .max()
            .orElse(1);
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%n%-26s %12s %10s %12s %12s %10s%n",
                workload,
                "messages/s",
                "of best",
                "CPU s/100k",
                "DB s/100k",
                "RSS MiB"));
    for (Contender contender : results.contendersOf(workload)) {
      double perSecond = perSecond(results, workload, contender);
      text.append(
          String.format(
              Locale.ROOT,
              "  %-24s %,12.0f %10.2f %12.3f %12.3f %10.0f%n",
              contender,
              perSecond,
              perSecond / best,
              results.median(workload, contender, RunFigures::cpuSecondsPer100k).orElse(0),
              results.median(workload, contender, RunFigures::databaseCpuSecondsPer100k).orElse(0),
              results.median(workload, contender, RunFigures::peakRssMiB).orElse(0)));
    }
    return text.toString();
  }

  private static double perSecond(Results results, Workload workload, Contender contender) {
    return results.median(workload, contender, RunFigures::messagesPerSecond).orElse(0);
  }
}
