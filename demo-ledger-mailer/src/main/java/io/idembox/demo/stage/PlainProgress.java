package io.idembox.demo.stage;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * Progress as plain lines, at most one for each tenth of a step, and none for steps that are soon
 * done: for logs and pipes.
 */
public final class PlainProgress implements Progress {
  private static final long QUIET_NANOS = Duration.ofSeconds(2).toNanos();

  private final PrintStream out;
  private final long startedNanos = System.nanoTime();
  private String task = "";
  private String unit = "";
  private int total;
  private int tenth;
  private long toldNanos;

  /** Writes to this stream. */
  public PlainProgress(PrintStream out) {
    this.out = out;
  }

  @Override
  public void note(String line) {
    double seconds = (System.nanoTime() - startedNanos) / 1e9;
    out.printf(Locale.ROOT, "%6.1f s  %s%n", seconds, line);
    out.flush();
  }

  @Override
  public void begin(String task, int total, String unit) {
    this.task = task;
    this.total = total;
    this.unit = unit;
    tenth = 0;
    toldNanos = System.nanoTime();
  }

  @Override
  public void reached(int done) {
    int now = total == 0 ? 0 : (int) (10L * done / total);
    if (now > tenth && System.nanoTime() - toldNanos > QUIET_NANOS) {
      tenth = now;
      toldNanos = System.nanoTime();
      note(String.format(Locale.ROOT, "%s: %,d of %,d %s", task, done, total, unit));
    }
  }

  @Override
  public void end() {}
}
