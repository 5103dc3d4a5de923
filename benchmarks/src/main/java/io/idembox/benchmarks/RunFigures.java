package io.idembox.benchmarks;

/**
 * The figures of one measured run.
 *
 * @param cpuSecondsPer100k processor time of the contender's process alone
 * @param databaseCpuSecondsPer100k that of the database server, on Linux; else 0
 * @param peakRssMiB the most memory that the process had during the run
 * @param seconds how long its passes took together
 */
record RunFigures(
    double messagesPerSecond,
    double cpuSecondsPer100k,
    double databaseCpuSecondsPer100k,
    double peakRssMiB,
    double seconds,
    long records) {

  static RunFigures of(Pass sum, double peakRssMiB) {
    return new RunFigures(
        round(sum.records() / sum.seconds(), 1),
        round(sum.cpuNanos() / 1e9 / sum.records() * 100_000, 4),
        round(sum.databaseCpuNanos() / 1e9 / sum.records() * 100_000, 4),
        round(peakRssMiB, 1),
        round(sum.seconds(), 3),
        sum.records());
  }

  private static double round(double value, int digits) {
    double scale = Math.pow(10, digits);
    return Math.round(value * scale) / scale;
  }
}
