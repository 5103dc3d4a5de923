package io.idembox.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Keeps the broker's log out of the way: thousands of lines at INFO. Only where Logback is in use,
 * and only for loggers to which the user's own configuration gives no level.
 */
final class BrokerLogging {
  private static final List<String> CHATTY =
      List.of("kafka", "org.apache.kafka", "state.change.logger");

  private BrokerLogging() {}

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
    static void quieten() {
      if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
        for (String name : CHATTY) {
          if (context.getLogger(name).getLevel() == null) {
            context.getLogger(name).setLevel(Level.WARN);
          }
        }
      }
    }
  }
}
