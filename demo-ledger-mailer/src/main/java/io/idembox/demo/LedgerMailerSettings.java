package io.idembox.demo;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * What a consumer process is told, read from a properties file.
 *
 * @param bootstrapServers {@code kafka.bootstrap.servers}
 * @param jdbcUrl {@code jdbc.url}, with user and password in it
 * @param redisUri {@code redis.uri}
 * @param mail {@code mail.host}, {@code mail.smtp.port}, {@code mail.imap.port}, {@code
 *     mail.archive.address}, {@code mail.archive.password}
 * @param batchLog {@code batch.log}: the file that each batch's figures are appended to
 */
public record LedgerMailerSettings(
    String bootstrapServers, String jdbcUrl, String redisUri, MailSettings mail, Path batchLog) {

  /** Refuses settings with a part missing. */
  public LedgerMailerSettings {
    requireNonNull(bootstrapServers, "bootstrapServers");
    requireNonNull(jdbcUrl, "jdbcUrl");
    requireNonNull(redisUri, "redisUri");
    requireNonNull(mail, "mail");
    requireNonNull(batchLog, "batchLog");
  }

  /**
   * Reads the file.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if a setting is missing or not a number where one is needed
   */
  public static LedgerMailerSettings read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    return of(properties, file.toString());
  }

  private static LedgerMailerSettings of(Properties properties, String origin) {
    return new LedgerMailerSettings(
        text(properties, "kafka.bootstrap.servers", origin),
        text(properties, "jdbc.url", origin),
        text(properties, "redis.uri", origin),
        new MailSettings(
            text(properties, "mail.host", origin),
            port(properties, "mail.smtp.port", origin),
            port(properties, "mail.imap.port", origin),
            text(properties, "mail.archive.address", origin),
            text(properties, "mail.archive.password", origin)),
        Path.of(text(properties, "batch.log", origin)));
  }

  /** The same settings as a file's content. */
  public Properties toProperties() {
    Properties properties = new Properties();
    properties.setProperty("kafka.bootstrap.servers", bootstrapServers);
    properties.setProperty("jdbc.url", jdbcUrl);
    properties.setProperty("redis.uri", redisUri);
    properties.setProperty("mail.host", mail.host());
    properties.setProperty("mail.smtp.port", String.valueOf(mail.smtpPort()));
    properties.setProperty("mail.imap.port", String.valueOf(mail.imapPort()));
    properties.setProperty("mail.archive.address", mail.archiveAddress());
    properties.setProperty("mail.archive.password", mail.archivePassword());
    properties.setProperty("batch.log", batchLog.toString());
    return properties;
  }

  private static String text(Properties properties, String name, String origin) {
    String value = properties.getProperty(name);
    if (value == null) {
      throw new IllegalArgumentException(origin + ": the setting " + name + " is missing");
    }
    return value;
  }

  private static int port(Properties properties, String name, String origin) {
    String value = text(properties, name, origin);
    try {
      int port = Integer.parseInt(value.strip());
      if (port > 0 && port <= 65_535) {
        return port;
      }
    } catch (NumberFormatException notANumber) {
      // Refused below, like a number out of range.
    }
    throw new IllegalArgumentException(
        origin + ": the setting " + name + " is \"" + value + "\", not a port from 1 to 65535");
  }

  /** Without passwords. */
  @Override
  public String toString() {
    return "kafka " + bootstrapServers + ", " + mail + ", batches to " + batchLog;
  }
}
