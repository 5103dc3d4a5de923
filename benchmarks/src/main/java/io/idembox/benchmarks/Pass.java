package io.idembox.benchmarks;

/** One pass over a workload, as measured. */
record Pass(long records, long nanos, long cpuNanos) {
  static Pass between(Moment begin, Moment end, long records) {
    return new Pass(
        records, Math.max(1, end.nanos() - begin.nanos()), end.cpuNanos() - begin.cpuNanos());
  }

  Pass plus(Pass other) {
    return new Pass(records + other.records, nanos + other.nanos, cpuNanos + other.cpuNanos);
  }

  double seconds() {
    return nanos / 1e9;
  }
}
