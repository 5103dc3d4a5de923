package io.idembox.demo.stage;

import java.io.PrintStream;
import java.util.Locale;

/** Progress as plain lines, one for each tenth of a step: for logs and pipes. */
public final class PlainProgress implements Progress {
  private final PrintStream out;
  private final long startedNanos = System.nanoTime();
  private String task = "";
  private String unit = "";
  private int total;
  private int tenth;

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
  }

  @Override
  public void reached(int done) {
    int now = total == 0 ? 0 : (int) (10L * done / total);
    if (now > tenth) {
      tenth = now;
      note(task + ": " + done + " of " + total + " " + unit);
    }
  }

  @Override
  public void end() {}
}
