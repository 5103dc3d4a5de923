package io.idembox.demo.stage;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** Progress as a bar that is redrawn: for terminals. */
public final class BarProgress implements Progress {
  private static final String START_OF_EMPTY_LINE = "\r\033[K";

  private final PrintStream out;
  private @Nullable ProgressBar bar;

  /** Draws on this stream, which has to be a terminal. */
  public BarProgress(PrintStream out) {
    this.out = out;
  }

  @Override
  public void note(String line) {
    // Above the bar, which draws itself again below.
    out.print(START_OF_EMPTY_LINE + line + System.lineSeparator());
    out.flush();
  }

  @Override
  public void begin(String task, int total, String unit) {
    end();
    bar =
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(total)
            .setUnit(" " + unit, 1)
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(200)
            .setConsumer(new ConsoleProgressBarConsumer(out))
            .hideEta()
            .build();
  }

  @Override
  public void reached(int done) {
    if (bar != null) {
      bar.stepTo(done);
    }
  }

  @Override
  public void end() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
