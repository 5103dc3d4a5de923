package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the loader takes, what it refuses, and how it says so; C16 of the field cases too. */
final class ConfigurationTest {
  /** 17 lines; cases add theirs below. */
  static final String WHOLE =
      """
      consumer:
        name: billing
      kafka:
        bootstrap.servers: broker:9092
      postgres:
        url: jdbc:postgresql://db/app
        user: app
        password: db-password
      redis:
        uri: redis://cache:6379
      effects:
        - class: com.acme.InvoiceMail
          lease: 30s
      subscriptions:
        - topics: [orders, payments]
          handler: com.acme.BillingHandler
          config: {currency: EUR}
      """;

  @TempDir private Path folder;

  @Test
  void aWholeFileIsTakenWithItsDefaults() throws Exception {
    Settings settings = load(WHOLE);
    assertThat(settings.get(Options.NAME)).isEqualTo("billing");
    assertThat(settings.get(Options.TOPICS, 0)).containsExactly("orders", "payments");
    assertThat(settings.get(Options.EFFECT_LEASE, 0)).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.group(Options.KAFKA)).isEqualTo(Map.of("bootstrap.servers", "broker:9092"));
    assertThat(settings.group(Options.HANDLER_CONFIG, 0)).isEqualTo(Map.of("currency", "EUR"));
    assertThat(settings.find(Options.POSTGRES_POOL_SIZE)).isEmpty();
    assertThat(settings.get(Options.SHUTDOWN_BUDGET)).isEqualTo(Duration.ofSeconds(20));
    assertThat(settings.origin("consumer.name")).hasToString("idembox.yaml:2");
  }

  /** Each line: what is added, the place that is named, the key, and a part of the rule. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          consumer.concurency: 8              | idembox.yaml:18 | consumer.concurency        | did you mean 'consumer.concurrency'
          Consumer.Concurrency: 8             | idembox.yaml:18 | Consumer.Concurrency       | did you mean 'consumer.concurrency'
          'consumer.name': other              | idembox.yaml:18 | consumer.name              | written twice, before in line 2
          consumer: {start: latest}           | idembox.yaml:18 | consumer                   | written twice, before in line 1
          kafka.max.poll.interval.ms: 30s     | idembox.yaml:18 | kafka.max.poll.interval.ms | milliseconds, without a unit
          kafka.enable.auto.commit: true      | idembox.yaml:18 | kafka.enable.auto.commit   | is refused: offsets are committed from finished work only
          kafka.bootstrap.server: b:9092      | idembox.yaml:18 | kafka.bootstrap.server     | did you mean 'bootstrap.servers'
          consumer.drain-budget: 10           | idembox.yaml:18 | consumer.drain-budget      | with its unit
          consumer.drain-budget: -10s         | idembox.yaml:18 | consumer.drain-budget      | must be 100ms to 1h
          consumer.drain-budget: 10m          | idembox.yaml:18 | consumer.drain-budget      | must be less than kafka.max.poll.interval.ms, 5m
          consumer.batch-records: 10001       | idembox.yaml:18 | consumer.batch-records     | must be 1 to 10000
          consumer.batch-records: many        | idembox.yaml:18 | consumer.batch-records     | must be a whole number
          consumer.batch-records: [1, 2]      | idembox.yaml:18 | consumer.batch-records     | must be one value, not a list
          consumer.ordering: partiton         | idembox.yaml:18 | consumer.ordering          | did you mean 'partition'
          consumer.ordering.more: x           | idembox.yaml:18 | consumer.ordering.more     | unknown key; did you mean 'consumer.ordering'
          consumer.retry-backoff: 1m          | idembox.yaml:18 | consumer.retry-backoff     | must not be more than consumer.retry-backoff-max, 30s
          postgres.pool-size: 5               | idembox.yaml:18 | postgres.pool-size         | must be at least consumer.concurrency + 2, 6
          postgres.migrate: yes               | idembox.yaml:18 | postgres.migrate           | must be true or false
          postgres.hikari.autoCommit: false   | idembox.yaml:18 | postgres.hikari.autoCommit | is refused
          postgres.hikari.maxLifeTime: 1000   | idembox.yaml:18 | postgres.hikari.maxLifeTime | did you mean 'maxLifetime'
          postgres.hikari.maxLifetime: 30m    | idembox.yaml:18 | postgres.hikari.maxLifetime | milliseconds, without a unit
          postgres.properties.autosave: always | idembox.yaml:18 | postgres.properties.autosave | is refused
          redis.lettuce.conectTimeout: 1000   | idembox.yaml:18 | redis.lettuce.conectTimeout | did you mean 'connectTimeout'
          redis.lettuce.connectTimeout: 3s    | idembox.yaml:18 | redis.lettuce.connectTimeout | milliseconds, without a unit
          redis.lettuce.autoReconnect: false  | idembox.yaml:18 | redis.lettuce.autoReconnect | is refused
          redis.lettuce.keepAlive: yes        | idembox.yaml:18 | redis.lettuce.keepAlive    | must be true or false
          subscriptions[0].type-from: json:/type | idembox.yaml:18 | subscriptions[0].type-from | means nothing without types
          redis.command-timeout: 11s          | idembox.yaml:13 | effects[0].lease           | at least three times redis.command-timeout, 33s
          http.token: short                   | idembox.yaml:18 | http.token                 | 16 to 1000 characters
          message-id.json-pointer: event/id   | idembox.yaml:18 | message-id.json-pointer    | must be a JSON pointer
          metrics: {port: 1}                  | idembox.yaml:18 | metrics.port               | unknown key; sections are consumer, kafka
          inbox.retention:                    | idembox.yaml:18 | inbox.retention            | has no value
          logging.levels.io.idembox: loud     | idembox.yaml:18 | logging.levels.io.idembox  | must be one of error
          """)
  void aWrongKeyIsRefusedByNamePlaceAndRule(String line, String place, String key, String rule)
      throws Exception {
    assertThat(problems(WHOLE + line + "\n"))
        .anySatisfy(
            problem -> {
              assertThat(problem.place()).isEqualTo(place);
              assertThat(problem.key()).isEqualTo(key);
              assertThat(problem.rule()).contains(rule);
            });
  }

  @Test
  void everythingThatIsWrongIsToldAtOnceRelationsToo() throws Exception {
    String text =
        WHOLE.replace("name: billing", "nam: billing").replace("30s", "30")
            + "consumer.retry-backoff: 1m\nredis.user: app\npostgres.migrate: yes\n";
    assertThat(problems(text))
        .extracting(Problem::key)
        .containsExactlyInAnyOrder(
            "consumer.nam",
            "consumer.name",
            "effects[0].lease",
            "consumer.retry-backoff",
            "redis.user",
            "postgres.migrate");
  }

  @Test
  void aListWrittenAsASectionIsRefused() throws Exception {
    String text =
        WHOLE.replace("  - class: com.acme.InvoiceMail\n    lease", "  class: x.Y\n  lease");
    assertThat(problems(text))
        .anySatisfy(
            problem -> {
              assertThat(problem.key()).isEqualTo("effects.class");
              assertThat(problem.rule()).contains("begin the element with '- '");
            });
  }

  @Test
  void aLeaseLongerThanTheRetentionIsRefused() throws Exception {
    String text = WHOLE.replace("lease: 30s", "lease: 30s\n    retention: 20s");
    assertThat(problems(text))
        .singleElement()
        .hasToString("idembox.yaml:14: effects[0].retention: 20s must be more than the lease, 30s");
  }

  @Test
  void effectsWithoutAGuardAreRefused() throws Exception {
    assertThat(problems(WHOLE.replace("redis:\n  uri: redis://cache:6379\n", "")))
        .anySatisfy(problem -> assertThat(problem.rule()).contains("need a guard: set redis.uri"));
  }

  @Test
  void aTextThatIsNotYamlIsRefusedByLineWithoutQuotingIt() throws Exception {
    assertThat(problems("postgres:\n  password: 'hunter-secret\nredis: {"))
        .anySatisfy(problem -> assertThat(problem.place()).startsWith("idembox.yaml:"))
        .noneSatisfy(problem -> assertThat(problem.toString()).contains("hunter-secret"));
  }

  @Test
  void aSecretOutOfRangeIsNotQuoted() throws Exception {
    assertThat(problems(WHOLE + "http.token: tell-nobody\n"))
        .singleElement()
        .satisfies(problem -> assertThat(problem.toString()).doesNotContain("tell-nobody"));
  }

  @Test
  void credentialsInAnAddressAreRefused() throws Exception {
    for (String address :
        List.of(
            "redis://:hunter@cache:6379",
            "redis://cache:6379?password=hunter",
            "jdbc:postgresql://db/app?password=hunter",
            "jdbc:postgresql://db/app?sslpassword=hunter",
            "jdbc:postgresql://app:hunter@db/app")) {
      String before =
          address.startsWith("redis") ? "redis://cache:6379" : "jdbc:postgresql://db/app";
      assertThat(problems(WHOLE.replace(before, address)))
          .singleElement()
          .asString()
          .startsWith("idembox.yaml:")
          .doesNotContain("hunter");
    }
  }

  @Test
  void variablesWinOverTheFileAndPropertiesOverVariables() throws Exception {
    Settings settings =
        load(
            WHOLE,
            Map.of(
                "IDEMBOX_CONSUMER_NAME", "from-variable",
                "IDEMBOX_CONSUMER_CONCURRENCY", "7",
                "IDEMBOX_KAFKA_MAX_POLL_RECORDS", "5",
                "IDEMBOX_POSTGRES_HIKARI_MAXLIFETIME", "60000",
                "IDEMBOX_SUBSCRIPTIONS_0__TOPICS", "other",
                "IDEMBOX_SUBSCRIPTIONS_0__CONFIG_CURRENCY", "CHF",
                "UNRELATED", "x"),
            Map.of("idembox.consumer.concurrency", "9", "java.home", "/x"));
    assertThat(settings.get(Options.NAME)).isEqualTo("from-variable");
    assertThat(settings.get(Options.CONCURRENCY)).isEqualTo(9);
    assertThat(settings.group(Options.KAFKA)).containsEntry("max.poll.records", "5");
    assertThat(settings.group(Options.HIKARI)).isEqualTo(Map.of("maxLifetime", "60000"));
    assertThat(settings.get(Options.TOPICS, 0)).containsExactly("other");
    assertThat(settings.group(Options.HANDLER_CONFIG, 0)).isEqualTo(Map.of("currency", "CHF"));
  }

  @Test
  void everythingCanComeFromVariables() {
    Settings settings =
        ConfigurationLoader.load(
            null,
            Map.of(
                "IDEMBOX_CONSUMER_NAME", "billing",
                "IDEMBOX_KAFKA_BOOTSTRAP_SERVERS", "broker:9092",
                "IDEMBOX_POSTGRES_URL", "jdbc:postgresql://db/app",
                "IDEMBOX_SUBSCRIPTIONS_0__TOPICS", "orders",
                "IDEMBOX_SUBSCRIPTIONS_0__TYPE_FROM", "cloud-events",
                "IDEMBOX_SUBSCRIPTIONS_0__TYPES_0__NAME", "created",
                "IDEMBOX_SUBSCRIPTIONS_0__TYPES_0__HANDLER", "com.acme.Created"),
            Map.of());
    assertThat(settings.count("subscriptions[].types", 0)).isEqualTo(1);
    assertThat(settings.get(Options.TYPE_HANDLER, 0, 0)).isEqualTo("com.acme.Created");
  }

  @Test
  void aMisspeltVariableIsRefused() throws Exception {
    assertThat(problems(WHOLE, Map.of("IDEMBOX_CONSUMER_NAEM", "x"), Map.of()))
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.toString())
                    .contains("IDEMBOX_CONSUMER_NAEM", "did you mean 'IDEMBOX_CONSUMER_NAME'"));
  }

  @Test
  void aMisspeltPropertyIsRefused() throws Exception {
    assertThat(problems(WHOLE, Map.of(), Map.of("idembox.consumer.nmae", "x")))
        .singleElement()
        .hasToString(
            "-Didembox.consumer.nmae: consumer.nmae: unknown key; did you mean 'consumer.name'?");
  }

  @Test
  void aSecretComesFromAFile() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "of the file\n");
    String text = WHOLE.replace("  password: db-password\n", "");
    Settings settings =
        load(text, Map.of("IDEMBOX_POSTGRES_PASSWORD_FILE", secret.toString()), Map.of());
    assertThat(settings.get(Options.POSTGRES_PASSWORD)).isEqualTo("of the file");
    Map<String, String> both =
        Map.of(
            "IDEMBOX_POSTGRES_PASSWORD_FILE", secret.toString(), "IDEMBOX_POSTGRES_PASSWORD", "x");
    assertThat(problems(text, both, Map.of()))
        .anySatisfy(
            problem ->
                assertThat(problem.rule()).contains("is set by IDEMBOX_POSTGRES_PASSWORD too"));
    assertThat(problems(text, Map.of("IDEMBOX_POSTGRES_PASSWORD_FILE", "/not/there"), Map.of()))
        .anySatisfy(
            problem -> assertThat(problem.rule()).contains("there is no file '/not/there'"));
  }

  @Test
  void valuesInForceArePrintedWithTheirOriginAndWithoutSecrets() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "planted-1-planted-1");
    String text =
        WHOLE.replace("db-password", "planted-2")
            + """
            kafka.security.protocol: SASL_PLAINTEXT
            kafka.sasl.jaas.config: planted-3
            subscriptions[0].config.apiKey: planted-4
            postgres.properties.sslpassword: planted-5
            subscriptions[0].config.mail: smtp://app:planted-7@mail
            subscriptions[0].config.other: host=db;Password=planted-8
            """;
    Settings settings =
        load(
            text,
            Map.of("IDEMBOX_HTTP_TOKEN_FILE", token.toString()),
            Map.of("idembox.redis.password", "planted-6"));
    String printed = ConfigurationPrinter.yaml(settings);
    assertThat(printed)
        .contains(
            "consumer.name: billing  # idembox.yaml:2",
            "consumer.concurrency: 4  # default",
            "postgres.pool-size: 8  # derived: consumer.concurrency + 4",
            "http.token: '********'  # file of environment variable IDEMBOX_HTTP_TOKEN_FILE",
            "subscriptions[0].topics: orders,payments  # idembox.yaml:15")
        .doesNotContain("planted");
    assertThat(Json.pretty(ConfigurationPrinter.json(settings))).doesNotContain("planted");
    assertThat(settings.toString() + settings.written()).doesNotContain("planted");
  }

  @Test
  void whatIsPrintedIsTakenAgain() throws Exception {
    Settings settings = load(WHOLE);
    assertThat(ConfigurationPrinter.lines(load(ConfigurationPrinter.yaml(settings))))
        .extracting(ConfigurationPrinter.Line::key)
        .isEqualTo(
            ConfigurationPrinter.lines(settings).stream()
                .map(ConfigurationPrinter.Line::key)
                .toList());
  }

  @Test
  void everyKeyHasAVariableOfItsOwn() {
    assertThat(Options.ALL).extracting(Option::environmentVariable).doesNotHaveDuplicates();
    assertThat(Options.ALL)
        .allSatisfy(
            option ->
                assertThat(
                        Catalog.fromEnvironment(
                            option.environmentVariable().replace("_N_", "_0_"), List.of()))
                    .isEqualTo(option.key().replace("[]", "[0]")));
  }

  @Test
  void defaultsAreWithinTheirRanges() {
    assertThat(Options.ALL)
        .filteredOn(option -> option.defaultText() != null)
        .allSatisfy(option -> assertThat(option.type().parse(option.defaultText())).isNotNull());
  }

  @Test
  void thePageInTheDocsIsMadeFromTheCatalog() throws Exception {
    assertThat(Files.readString(Path.of("../docs/configuration.md")))
        .as(
            "run 'consumer-service/bin/idembox config --explain --markdown >"
                + " docs/configuration.md'")
        .isEqualTo(ConfigurationPage.markdown());
  }

  @Test
  void aFileThatIsNotThereIsRefused() {
    assertThatThrownBy(
            () -> ConfigurationLoader.load(folder.resolve("none.yaml"), Map.of(), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("none.yaml: there is no such file");
  }

  private Settings load(String text) throws IOException {
    return load(text, Map.of(), Map.of());
  }

  private Settings load(String text, Map<String, String> variables, Map<String, String> properties)
      throws IOException {
    Path file = Files.writeString(folder.resolve("idembox.yaml"), text);
    return ConfigurationLoader.load(file, variables, properties);
  }

  private List<Problem> problems(String text) throws IOException {
    return problems(text, Map.of(), Map.of());
  }

  private List<Problem> problems(
      String text, Map<String, String> variables, Map<String, String> properties)
      throws IOException {
    Path file = Files.writeString(folder.resolve("idembox.yaml"), text);
    return catchThrowableOfType(
            ConfigurationException.class,
            () -> ConfigurationLoader.load(file, variables, properties))
        .problems();
  }
}
