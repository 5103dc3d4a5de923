package io.idembox.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.Map;
import org.slf4j.LoggerFactory;

/**
 * Keeps the servers' logs out of the way: thousands of lines at INFO, and a warning from each first
 * start of a controller. Only where Logback is in use, and only for loggers to which the user's own
 * configuration gives no level.
 */
final class ServerLogging {
  private ServerLogging() {}

  static void quieten() {
    try {
      Logback.quieten();
    } catch (NoClassDefFoundError e) {
      // Another logger than Logback: its configuration is the user's.
      return;
    }
  }

  /** In a class of its own, since Logback is optional. */
  private static final class Logback {
    private static final Map<String, Level> LEVELS =
        Map.of(
            "kafka", Level.WARN,
            "org.apache.kafka", Level.WARN,
            "org.apache.kafka.controller", Level.ERROR,
            "state.change.logger", Level.WARN,
            "io.zonky", Level.WARN);

    static void quieten() {
      if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
        LEVELS.forEach((name, level) -> quieten(context.getLogger(name), level));
      }
    }

    private static void quieten(Logger logger, Level level) {
      if (logger.getLevel() == null) {
        logger.setLevel(level);
      }
    }
  }
}
