package io.idembox.runtime;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The log lines of one test. */
final class CapturedLog extends AppenderBase<ILoggingEvent> {
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

  @Override
  protected void append(ILoggingEvent event) {
    event.getFormattedMessage();
    events.add(event);
  }

  /** Lines of this level or a higher one. */
  List<String> lines(Level least) {
    return events.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(least))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** Whether a warning or an error holds this text. */
  boolean complainsOf(String text) {
    return lines(Level.WARN).stream().anyMatch(line -> line.contains(text));
  }
}
