package io.idembox.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The database server's processes, as Linux shows them to those on the same machine. */
final class DatabaseProcess {
  private static final Path PROC = Path.of("/proc");
  private static final long NANOS_PER_TICK = 10_000_000;
  // Behind the command's closing bracket: state, parent, ... and at these places processor times.
  private static final int PARENT = 1;
  private static final int OWN_TIMES = 11;
  private static final int ENDED_CHILDREN = 13;

  private static volatile long postmaster;

  private DatabaseProcess() {}

  /** From now on {@link #cpuNanos} is about this server; 0 for none. */
  static void watch(long postmasterPid) {
    postmaster = postmasterPid;
  }

  /** Reads the number of a server's first process from its data directory. */
  static long pid(Path dataDirectory) {
    try (Stream<String> lines = Files.lines(dataDirectory.resolve("postmaster.pid"))) {
      return lines.findFirst().map(Long::parseLong).orElse(0L);
    } catch (IOException e) {
      throw new BenchmarkException("PostgreSQL's postmaster.pid could not be read", e);
    }
  }

  /** What all its processes have used, those that have ended included; 0 where nobody says. */
  static long cpuNanos() {
    if (postmaster == 0) {
      return 0;
    }
    try (Stream<Path> processes = Files.list(PROC)) {
      return processes.filter(DatabaseProcess::isProcess).mapToLong(DatabaseProcess::ticks).sum()
          * NANOS_PER_TICK;
    } catch (IOException e) {
      throw new BenchmarkException("/proc could not be read", e);
    }
  }

  private static boolean isProcess(Path path) {
    return Character.isDigit(path.getFileName().toString().charAt(0));
  }

  private static long ticks(Path process) {
    String stat;
    try {
      stat = Files.readString(process.resolve("stat"));
    } catch (IOException e) {
      // It has just ended; its parent has its times.
      return 0;
    }
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    if (process.getFileName().toString().equals(Long.toString(postmaster))) {
      return sum(fields, OWN_TIMES) + sum(fields, ENDED_CHILDREN);
    }
    return Long.parseLong(fields[PARENT]) == postmaster ? sum(fields, OWN_TIMES) : 0;
  }

  private static long sum(String[] fields, int at) {
    return Long.parseLong(fields[at]) + Long.parseLong(fields[at + 1]);
  }
}
