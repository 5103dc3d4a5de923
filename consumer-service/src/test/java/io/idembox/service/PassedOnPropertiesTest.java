package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is handed on to Kafka, HikariCP, the driver and Redis, and what is refused by name. */
final class PassedOnPropertiesTest {
  private static final String WHOLE =
      """
      consumer.name: billing
      kafka.bootstrap.servers: broker:9092
      postgres.url: jdbc:postgresql://db/app
      redis.uri: redis://cache:6379
      subscriptions: [{topics: [orders], handler: com.acme.BillingHandler}]
      """;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          kafka.check.crcs: false                     | kafka.check.crcs | is refused
          kafka.share.acquire.mode: batch_optimized   | kafka.share.acquire.mode | unknown property
          kafka.heartbeat.interval.ms: 60000          | kafka.heartbeat.interval.ms | must be less than session.timeout.ms, 45000
          kafka.fetch.max.wait.ms: 30000              | kafka.fetch.max.wait.ms | must be less than request.timeout.ms
          kafka.group.remote.assignor: range          | kafka.group.remote.assignor | under group.protocol consumer only
          {kafka.group.protocol: consumer, kafka.session.timeout.ms: 9000} | kafka.session.timeout.ms | the brokers' to say
          postgres.hikari.connectionInitSql: set x to y | postgres.hikari.connectionInitSql | is refused
          postgres.hikari.poolName: mine              | postgres.hikari.poolName | is refused
          postgres.hikari.maxLifetime: 10             | postgres.hikari.maxLifetime | must be at least 30000, or 0
          postgres.hikari.allowPoolSuspension: maybe  | postgres.hikari.allowPoolSuspension | must be true or false
          postgres.hikari.minimumIdle: 9              | postgres.hikari.minimumIdle | is more than the pool has, 8
          postgres.properties.targetServerType: secondary | postgres.properties.targetServerType | must be any or primary
          postgres.properties.preferQueryMode: simple | postgres.properties.preferQueryMode | must not be simple
          postgres.properties.options: -c search_path=x | postgres.properties.options | must not set anything of the session
          postgres.properties.sslmode: full           | postgres.properties.sslmode | must be one of disable
          postgres.properties.connectTimeout: 10s     | postgres.properties.connectTimeout | whole number (seconds
          postgres.url: jdbc:postgresql://db/app?readOnly=true | postgres.url | readOnly, which is refused
          postgres.url: jdbc:postgresql://db/app?options=-c%20x%3Dy | postgres.url | options, which must not set
          postgres.url: jdbc:postgresql://db/app?sslmod=require | postgres.url | did you mean 'sslmode'
          postgres.url: jdbc:postgresql://db/app?ssl=true&ssl=false | postgres.url | ssl twice
          redis.uri: redis://cache?timeout=60s        | redis.uri | set redis.command-timeout
          redis.uri: redis-sentinel://cache           | redis.uri | must name the master
          redis.uri: redis://cache/first              | redis.uri | database by its number
          redis.sentinel-password: word               | redis.sentinel-password | with a redis-sentinel URI only
          consumer.dead-letter-topic: orders          | consumer.dead-letter-topic | its letters would come again
          message-id.copy-of: or/ders                 | message-id.copy-of | must be a topic name
          consumer.group-id: ' billing'               | consumer.group-id | must not begin or end with blanks
          """)
  void whatWouldBreakAPromiseIsRefused(String lines, String key, String rule) throws Exception {
    assertThat(catchThrowableOfType(ConfigurationException.class, () -> load(lines)).problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.key()).isEqualTo(key);
              assertThat(problem.rule()).contains(rule);
              assertThat(problem.place()).startsWith("idembox.yaml:");
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          postgres.url: jdbc:postgresql://a,b:5433/app?targetServerType=primary&sslmode=require
          postgres.properties.reWriteBatchedInserts: true
          postgres.hikari.idleTimeout: 0
          redis.uri: rediss-sentinel://a:26379,b:26379/1?verifyPeer=CA#master
          kafka.bootstrap.servers: "[::1]:9092,SASL_SSL://b:9093"
          kafka.group.protocol: Consumer
          message-id.copy-of: old-orders
          """)
  void whatBreaksNoneIsTaken(String line) {
    assertThatCode(() -> load(line)).doesNotThrowAnyException();
  }

  @Test
  void variablesThatKubernetesMakesOfAServiceCalledIdemboxAreNotOurs() {
    Map<String, String> links =
        Map.of(
            "IDEMBOX_SERVICE_HOST", "10.0.0.1",
            "IDEMBOX_SERVICE_PORT_HTTP", "8080",
            "IDEMBOX_PORT", "tcp://10.0.0.1:8080",
            "IDEMBOX_PORT_8080_TCP_ADDR", "10.0.0.1");
    assertThatCode(() -> load("http.port: 8080", links)).doesNotThrowAnyException();
  }

  @Test
  void aVariableWhoseKeyEndsWithFileIsAValue() throws Exception {
    Settings settings =
        load(
            "kafka.security.protocol: SASL_SSL",
            Map.of("IDEMBOX_KAFKA_SASL_OAUTHBEARER_ASSERTION_FILE", "/run/assertion"));
    assertThat(settings.group(Options.KAFKA))
        .containsEntry("sasl.oauthbearer.assertion.file", "/run/assertion");
  }

  @Test
  void protectionThatIsNotInForceIsAWarning() throws Exception {
    Settings settings =
        load("kafka.ssl.truststore.location: /ca\npostgres.properties.sslrootcert: /ca");
    assertThat(Encryption.findings(settings))
        .extracting(Finding::code)
        .containsExactly("kafka.security", "postgres.security");
  }

  private Settings load(String lines) throws Exception {
    return load(lines, Map.of());
  }

  /** A whole file, in which the lines are in the place of what it says of the same key. */
  private Settings load(String lines, Map<String, String> environment) throws Exception {
    String key = lines.replaceFirst("^\\{?([a-z.-]+):.*", "$1");
    String text = WHOLE.replaceFirst("(?m)^" + Pattern.quote(key) + ": .*\n", "");
    Path file = Files.writeString(folder.resolve("idembox.yaml"), text + flat(lines) + "\n");
    return ConfigurationLoader.load(file, environment, Map.of());
  }

  private static String flat(String lines) {
    return lines.startsWith("{")
        ? lines.substring(1, lines.length() - 1).replace(", ", "\n")
        : lines;
  }
}
