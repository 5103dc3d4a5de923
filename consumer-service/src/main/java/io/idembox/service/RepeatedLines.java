package io.idembox.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/**
 * Bounds the rate of warnings and errors that repeat: of each line of code, so many in a period;
 * then how many were left out. An outage of an hour must not fill a disk. Thread-safe.
 */
final class RepeatedLines extends TurboFilter {
  private static final int MOST = 20;
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final Map<String, Period> periods = new ConcurrentHashMap<>();

  /** Of one line of code. */
  private static final class Period {
    private long began = System.nanoTime();
    private int lines;

    /** How many were left out before this line; -1 if it is to be left out too. */
    synchronized int next() {
      int leftOut = 0;
      if (System.nanoTime() - began > PERIOD.toNanos()) {
        leftOut = Math.max(0, lines - MOST);
        began = System.nanoTime();
        lines = 0;
      }
      lines++;
      return lines > MOST ? -1 : leftOut;
    }
  }

  @Override
  public FilterReply decide(
      @Nullable Marker marker,
      Logger logger,
      Level level,
      @Nullable String format,
      Object @Nullable [] arguments,
      @Nullable Throwable failure) {
    if (!level.isGreaterOrEqual(Level.WARN)
        || format == null
        || !logger.getEffectiveLevel().isGreaterOrEqual(Level.TRACE)
        || !level.isGreaterOrEqual(logger.getEffectiveLevel())) {
      return FilterReply.NEUTRAL;
    }
    int leftOut =
        periods.computeIfAbsent(logger.getName() + '\n' + format, line -> new Period()).next();
    if (leftOut < 0) {
      return FilterReply.DENY;
    }
    if (leftOut > 0) {
      // Of another text, so it is not counted as one more of the same.
      logger.warn("{} lines like the next one were left out", leftOut);
    }
    return FilterReply.NEUTRAL;
  }
}
