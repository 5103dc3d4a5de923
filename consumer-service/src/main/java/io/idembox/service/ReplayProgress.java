package io.idembox.service;

import io.idembox.runtime.ReplayPlan;
import io.idembox.runtime.ReplayReport;
import java.time.Duration;
import java.util.function.Consumer;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** How far a replay is: a bar with the time left on a terminal, else a line now and then. */
final class ReplayProgress implements Consumer<ReplayReport>, AutoCloseable {
  /** Set by the start script where somebody watches. */
  private static final String TERMINAL = "IDEMBOX_TERMINAL";

  private static final Duration LINE_EVERY = Duration.ofSeconds(10);

  private final Console console;
  private final long total;
  private final @Nullable ProgressBar bar;
  private long lastLine = System.nanoTime();

  ReplayProgress(Console console, ReplayPlan plan) {
    this.console = console;
    this.total = plan.ranges().stream().mapToLong(range -> range.to() - range.from()).sum();
    this.bar =
        !console.environment().containsKey(TERMINAL)
            ? null
            : new ProgressBarBuilder()
                .setTaskName("replay")
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(console.err()))
                .build();
  }

  @Override
  public void accept(ReplayReport report) {
    // Offsets, not records: gaps of transactions and compaction are passed too.
    long passed =
        report.partitions().stream().mapToLong(one -> one.next() - one.range().from()).sum();
    long handled = report.partitions().stream().mapToLong(ReplayReport.Partition::handled).sum();
    if (bar != null) {
      bar.stepTo(passed);
      bar.setExtraMessage(" " + handled + " handled");
    } else if (System.nanoTime() - lastLine > LINE_EVERY.toNanos()) {
      lastLine = System.nanoTime();
      double seconds = Math.max(0.001, report.elapsed().toMillis() / 1e3);
      double left = passed == 0 ? 0 : seconds * (total - passed) / passed;
      console
          .err()
          .printf(
              "replay: %d of %d, %.0f/s, %d handled, about %.0f s left%n",
              passed, total, passed / seconds, handled, left);
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
