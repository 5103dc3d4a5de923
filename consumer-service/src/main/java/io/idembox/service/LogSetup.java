package io.idembox.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import org.slf4j.LoggerFactory;

/** Sets Logback up from the configuration. */
final class LogSetup {
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{30} - %msg%n%ex";

  private LogSetup() {}

  /** For the long run: everything goes to standard output, which is what collectors read. */
  static void forRun(Settings settings) {
    LoggerContext context = context();
    context.reset();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setName("console");
    appender.setEncoder(encoder(settings, context));
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(appender);
    root.setLevel(Level.valueOf(settings.get(Options.LOG_LEVEL).name()));
    context.getLogger("org.apache.kafka").setLevel(Level.WARN);
    context.getLogger("org.eclipse.jetty").setLevel(Level.WARN);
    context.getLogger("io.javalin").setLevel(Level.WARN);
    context.getLogger("org.flywaydb").setLevel(Level.WARN);
    settings
        .group(Options.LOG_LEVELS)
        .forEach(
            (name, level) -> context.getLogger(name).setLevel(Level.toLevel(level, Level.INFO)));
    context.addTurboFilter(new RepeatedLines());
  }

  private static Encoder<ILoggingEvent> encoder(Settings settings, LoggerContext context) {
    if (settings.get(Options.LOG_FORMAT) == Options.LogFormat.JSON) {
      JsonEncoder json = new JsonEncoder();
      json.setContext(context);
      json.setWithFormattedMessage(true);
      json.setWithMessage(false);
      json.setWithArguments(false);
      json.setWithContext(false);
      json.setWithSequenceNumber(false);
      json.start();
      return json;
    }
    PatternLayoutEncoder text = new PatternLayoutEncoder();
    text.setContext(context);
    text.setPattern(PATTERN);
    text.start();
    return text;
  }

  private static LoggerContext context() {
    return (LoggerContext) LoggerFactory.getILoggerFactory();
  }
}
