package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of TLS are looked at before anybody connects, all of them at once, by key and file. */
final class TlsFilesTest {
  private static final String WHOLE =
      """
      consumer.name: billing
      kafka.bootstrap.servers: broker:9092
      postgres.url: %s
      redis.uri: rediss://cache:6379
      subscriptions: [{topics: [orders], handler: com.acme.BillingHandler}]
      """;
  private static final String DATABASE = "jdbc:postgresql://db/app";

  @TempDir private static Path folder;

  @BeforeAll
  static void makeFiles() throws Exception {
    TestCertificates.make(folder, "good");
    Files.writeString(
        folder.resolve("both.pem"),
        Files.readString(folder.resolve("good.key"))
            + Files.readString(folder.resolve("good.pem")));
    Files.writeString(folder.resolve("garbage"), "not a certificate, planted-secret");
    Files.createFile(folder.resolve("empty"));
    Files.createDirectory(folder.resolve("directory"));
    Files.writeString(
        folder.resolve("cut.pem"), Files.readString(folder.resolve("good.pem")).substring(0, 120));
    Files.writeString(
        folder.resolve("old.key"),
        Files.readString(folder.resolve("good.key")).replace("PRIVATE KEY", "EC PRIVATE KEY"));
    Files.writeString(
        folder.resolve("bad.key"),
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          redis.trusted-certificates                | nowhere   | is not there
          redis.trusted-certificates                | directory | is no file
          redis.trusted-certificates                | empty     | holds no certificate
          redis.trusted-certificates                | garbage   | holds no certificate
          redis.trusted-certificates                | cut.pem   | holds no certificate
          redis.client-certificate                  | good.key  | holds no certificate
          redis.client-key                          | good.pem  | holds no private key
          redis.client-key                          | old.key   | not in PKCS #8
          redis.client-key                          | bad.key   | holds a private key that cannot be read
          postgres.properties.sslrootcert           | garbage   | holds no certificate
          postgres.properties.sslcert               | nowhere   | is not there
          postgres.properties.sslkey                | garbage   | holds a private key that cannot be read
          kafka.ssl.truststore.location             | nowhere   | is not there
          kafka.ssl.truststore.location             | garbage   | is no store of type JKS
          kafka.ssl.keystore.location               | good.p12  | cannot be opened with its password
          """)
  void aFileThatCannotBeUsedIsRefusedByKeyAndName(String key, String file, String rule)
      throws Exception {
    String text =
        lines(
            Map.of(
                "kafka.security.protocol",
                "SSL",
                "kafka.ssl.keystore.password",
                "planted-secret",
                "postgres.properties.sslmode",
                "verify-full",
                key,
                folder.resolve(file).toString()));
    String all =
        key.startsWith("redis.client-c")
            ? text + "redis.client-key: " + folder.resolve("good.key") + "\n"
            : key.startsWith("redis.client-k")
                ? text + "redis.client-certificate: " + folder.resolve("good.pem") + "\n"
                : text;

    String refusal = refusal(DATABASE, all);

    assertThat(refusal)
        .contains(key, folder.resolve(file).toString(), rule, "idembox.yaml:")
        .doesNotContain("planted-");
  }

  @Test
  void oneThatTheAddressNamesIsRefusedToo() throws Exception {
    String url = DATABASE + "?sslmode=verify-ca&sslrootcert=" + folder.resolve("garbage");
    assertThat(refusal(url, "")).contains("postgres.url", "sslrootcert", "holds no certificate");
  }

  @Test
  void allOfThemAreRefusedAtOnce() throws Exception {
    String refusal =
        refusal(
            DATABASE + "?sslmode=verify-full",
            lines(
                Map.of(
                    "redis.trusted-certificates", "nowhere-1",
                    "postgres.properties.sslrootcert", "nowhere-2",
                    "kafka.security.protocol", "sasl_ssl",
                    "kafka.ssl.truststore.type", "PEM",
                    "kafka.ssl.truststore.location", "nowhere-3")));
    assertThat(refusal).contains("nowhere-1", "nowhere-2", "nowhere-3");
  }

  @Test
  void goodOnesAreTakenAndThoseThatNobodyReadsAreNotLookedAt() throws Exception {
    String good =
        lines(
            Map.ofEntries(
                Map.entry("redis.trusted-certificates", "" + folder.resolve("good.pem")),
                Map.entry("redis.client-certificate", "" + folder.resolve("both.pem")),
                Map.entry("redis.client-key", "" + folder.resolve("both.pem")),
                Map.entry("postgres.properties.sslmode", "verify-full"),
                Map.entry("postgres.properties.sslrootcert", "" + folder.resolve("good.pem")),
                Map.entry("postgres.properties.sslcert", "" + folder.resolve("good.pem")),
                Map.entry("postgres.properties.sslkey", "" + folder.resolve("good.key")),
                Map.entry("kafka.security.protocol", "SSL"),
                Map.entry("kafka.ssl.truststore.location", "" + folder.resolve("good.p12")),
                Map.entry("kafka.ssl.truststore.password", "changeit"),
                Map.entry("kafka.ssl.keystore.type", "PEM"),
                Map.entry("kafka.ssl.keystore.location", "" + folder.resolve("both.pem"))));
    assertThatCode(() -> load(DATABASE, good)).doesNotThrowAnyException();
    String idle =
        lines(
            Map.of(
                "kafka.ssl.truststore.location", "nowhere",
                "postgres.properties.sslmode", "require",
                "postgres.properties.sslrootcert", "nowhere"));
    assertThatCode(() -> load(DATABASE, idle)).doesNotThrowAnyException();
  }

  private static String lines(Map<String, String> values) {
    StringBuilder text = new StringBuilder();
    values.forEach((key, value) -> text.append(key).append(": ").append(value).append('\n'));
    return text.toString();
  }

  private static String refusal(String url, String more) {
    ConfigurationException refused =
        catchThrowableOfType(ConfigurationException.class, () -> load(url, more));
    assertThat(refused).isNotNull();
    return String.valueOf(refused.getMessage());
  }

  private static void load(String url, String more) throws Exception {
    Path file = Files.writeString(folder.resolve("idembox.yaml"), WHOLE.formatted(url) + more);
    ConfigurationLoader.load(file, Map.of(), Map.of());
  }
}
