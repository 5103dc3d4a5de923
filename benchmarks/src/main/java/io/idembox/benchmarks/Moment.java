package io.idembox.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * A point in time, and how much processor time this process and the database server had used by
 * then.
 */
record Moment(long nanos, long cpuNanos, long databaseCpuNanos) {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  static Moment now() {
    return new Moment(System.nanoTime(), SYSTEM.getProcessCpuTime(), DatabaseProcess.cpuNanos());
  }
}
