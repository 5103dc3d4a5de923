package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/**
 * A new user's path, by the READMEs alone: an empty folder, the jar of the sample handler, the
 * configuration and the SQL as they are written there. Only the addresses are those of the test.
 */
final class NewUserJarTest extends ServiceTestBase {
  private final List<String> invoices = new CopyOnWriteArrayList<>();

  @Test
  void fromAnEmptyFolderToAnOrderThatIsBookedAndInvoiced() throws Exception {
    execute("drop schema idembox cascade; drop table ledger; drop table sent");
    Path home = Files.createDirectories(folder.resolve("new-user"));
    Files.writeString(home.resolve("idembox.yaml"), block("README.md", "yaml"));
    Path plugins = Files.createDirectories(home.resolve("plugins"));
    Files.copy(sampleJar(), plugins.resolve("sample-handler.jar"));
    createTopicOrders();
    HttpServer invoiceService = invoiceService();
    try {
      Map<String, String> addresses =
          Map.of(
              "IDEMBOX_KAFKA_BOOTSTRAP_SERVERS",
              scope.kafka().bootstrapServers(),
              "IDEMBOX_POSTGRES_URL",
              url(),
              "IDEMBOX_POSTGRES_USER",
              database.user(),
              "IDEMBOX_POSTGRES_PASSWORD",
              database.password().isEmpty() ? "x" : database.password(),
              "IDEMBOX_REDIS_URI",
              scope.redis().uri(),
              "IDEMBOX_REDIS_ACCEPT",
              "redis.eviction,redis.version",
              "IDEMBOX_HTTP_PORT",
              "0",
              "IDEMBOX_EFFECTS_0__CONFIG_URL",
              "http://127.0.0.1:" + invoiceService.getAddress().getPort() + "/");
      assertThat(finished(home, addresses, "migrate")).isZero();
      execute(block("sample-handler/README.md", "sql"));
      assertThat(finished(home, addresses, "doctor")).isZero();
      Process running = started(home, addresses, "run");
      try {
        sendOrder();
        await().atMost(SOON).until(() -> invoices.size() == 1);
        assertThat(count("select count(*) from ledger where currency = 'EUR'")).isEqualTo(1);
        running.destroy();
        assertThat(running.waitFor(30, TimeUnit.SECONDS)).isTrue();
      } finally {
        running.destroyForcibly();
      }
    } finally {
      invoiceService.stop(0);
    }
  }

  /** The first code block of a language. */
  private static String block(String file, String language) throws IOException {
    Matcher matcher =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of(file)));
    assertThat(matcher.find()).as("%s has a block of %s", file, language).isTrue();
    return matcher.group(1);
  }

  /** That of this build, or one that was built elsewhere, as {@code .ci/new-user} does. */
  private static Path sampleJar() throws IOException {
    String elsewhere = System.getProperty("idembox.sample.jar");
    if (elsewhere != null) {
      return Path.of(elsewhere);
    }
    try (Stream<Path> files = Files.list(Path.of("sample-handler/target"))) {
      return files.filter(file -> file.toString().endsWith(".jar")).findFirst().orElseThrow();
    }
  }

  private void createTopicOrders() throws Exception {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", scope.kafka().bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1))).all().get();
    }
  }

  private void sendOrder() throws Exception {
    try (KafkaProducer<String, String> producer = producer()) {
      producer
          .send(
              new ProducerRecord<>(
                  "orders", "{\"id\":\"order-1\",\"customer\":\"c\",\"amount\":12.50}"))
          .get();
    }
  }

  private static int finished(Path home, Map<String, String> variables, String command)
      throws Exception {
    Process process = started(home, variables, command);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(command).isTrue();
    assertThat(process.exitValue())
        .as("%s: %s", command, Files.readString(home.resolve(command + ".log")))
        .isZero();
    return process.exitValue();
  }

  private static Process started(Path home, Map<String, String> variables, String command)
      throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of("bin/idembox").toAbsolutePath().toString());
    line.add(command);
    ProcessBuilder builder = new ProcessBuilder(line).directory(home.toFile());
    builder.environment().putAll(variables);
    return builder
        .redirectErrorStream(true)
        .redirectOutput(home.resolve(command + ".log").toFile())
        .start();
  }

  private HttpServer invoiceService() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          invoices.add(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          byte[] number = "no. 1".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, number.length);
          exchange.getResponseBody().write(number);
          exchange.close();
        });
    server.start();
    return server;
  }
}
