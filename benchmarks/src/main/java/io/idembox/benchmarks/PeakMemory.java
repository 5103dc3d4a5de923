package io.idembox.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The most resident memory of this process since {@link #reset}, as Linux counts it. */
final class PeakMemory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path CLEAR = Path.of("/proc/self/clear_refs");

  private PeakMemory() {}

  /** Where the system does not let us, the peak counts from the process's start. */
  static void reset() {
    try {
      if (Files.isWritable(CLEAR)) {
        Files.write(CLEAR, "5".getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      throw new BenchmarkException("The peak of memory could not be reset", e);
    }
  }

  /** In MiB; NaN where the system does not say. */
  static double mebibytes() {
    if (!Files.isReadable(STATUS)) {
      return Double.NaN;
    }
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith("VmHWM:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
        }
      }
      return Double.NaN;
    } catch (IOException e) {
      throw new BenchmarkException("The peak of memory could not be read", e);
    }
  }
}
