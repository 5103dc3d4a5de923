package io.idembox.benchmarks;

/** One pass over a workload, as measured. */
record Pass(long records, long nanos, long cpuNanos, long databaseCpuNanos) {
  static Pass between(Moment begin, Moment end, long records) {
    return new Pass(
        records,
        Math.max(1, end.nanos() - begin.nanos()),
        end.cpuNanos() - begin.cpuNanos(),
        end.databaseCpuNanos() - begin.databaseCpuNanos());
  }

  Pass plus(Pass other) {
    return new Pass(
        records + other.records,
        nanos + other.nanos,
        cpuNanos + other.cpuNanos,
        databaseCpuNanos + other.databaseCpuNanos);
  }

  double seconds() {
    return nanos / 1e9;
  }
}
