package io.idembox.service;

import io.idembox.migrations.IdemboxSchema;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.TestScope;
import io.idembox.testkit.WithServers;
import io.idembox.testkit.WithServers.Server;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A consumer's database, topic and configuration, and ways to run commands on them. */
@WithServers({Server.KAFKA, Server.POSTGRES, Server.REDIS})
abstract class ServiceTestBase {
  static final Duration SOON = Duration.ofSeconds(60);
  static final String TOKEN = "token-of-the-tests";

  @TempDir static Path shared;
  private static Path plugins;

  @TempDir Path folder;
  TestScope scope;
  TestScope.Database database;
  String topic;
  Path config;

  @BeforeEach
  void prepare() throws Exception {
    if (plugins == null || !Files.exists(plugins)) {
      plugins = Files.createDirectories(shared.resolve("plugins"));
      PluginJar.write(plugins.resolve("booking.jar"), PluginJar.BOOKING);
    }
    database = scope.postgres("service", ServiceTestBase::prepare);
    topic = scope.topic("orders", 2);
    config = write("");
  }

  private static void prepare(DataSource empty) throws SQLException {
    IdemboxSchema.of(empty).migrate();
    try (Connection connection = empty.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create table ledger (id text, currency text)");
      statement.execute("create table sent (id text)");
    }
  }

  /** The configuration, with more lines at its end. */
  Path write(String more) throws IOException {
    String text =
        """
        consumer:
          name: %s
          retry-backoff: 50ms
          retry-backoff-max: 200ms
        kafka:
          bootstrap.servers: %s
        postgres:
          url: %s
          user: %s
          password: %s
        redis:
          uri: %s
          accept: [redis.eviction, redis.version]
        plugins:
          folder: %s
          data-source: {url: '%s', user: '%s', password: '%s'}
        http: {port: 0, token: %s}
        effects:
          - class: plugged.Note
        subscriptions:
          - topics: [%s]
            handler: plugged.Booking
            config: {currency: EUR, failing: false}
        """
            .formatted(
                scope.namespace(),
                scope.kafka().bootstrapServers(),
                url(),
                database.user(),
                password(),
                scope.redis().uri(),
                plugins,
                url(),
                database.user(),
                password(),
                TOKEN,
                topic);
    return Files.writeString(folder.resolve("idembox.yaml"), text + more);
  }

  String url() {
    return "jdbc:postgresql://%s:%d/%s"
        .formatted(database.host(), database.port(), database.name());
  }

  private String password() {
    return database.password().isEmpty() ? "unused" : database.password();
  }

  /** What a command printed, and its exit code. */
  record Ran(int code, String out, String err) {}

  /** Runs a command in this JVM. */
  Ran run(Map<String, String> environment, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--config");
    all.add(config.toString());
    int code =
        Idembox.execute(
            new Console(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                environment,
                Map.of()),
            all.toArray(String[]::new));
    return new Ran(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  Ran run(String... args) {
    return run(Map.of(), args);
  }

  /** Runs a command in a process of its own. */
  JavaProcess.Builder process(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--config");
    all.add(config.toString());
    return JavaProcess.builder(Idembox.class)
        .args(all.toArray(String[]::new))
        .jvmArgs("-Xmx256m", "-XX:TieredStopAtLevel=1");
  }

  void send(int partition, String messageId, String json) throws Exception {
    try (KafkaProducer<String, String> producer = producer()) {
      ProducerRecord<String, String> record =
          new ProducerRecord<>(topic, partition, messageId, json);
      record.headers().add("message-id", messageId.getBytes(StandardCharsets.UTF_8));
      producer.send(record).get();
    }
  }

  KafkaProducer<String, String> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", scope.kafka().bootstrapServers()),
        new StringSerializer(),
        new StringSerializer());
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  long count(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
