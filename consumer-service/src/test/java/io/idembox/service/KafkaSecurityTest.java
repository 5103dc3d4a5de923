package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedKafka;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** A broker that speaks TLS and asks for a password, by configuration alone. */
final class KafkaSecurityTest extends RunningServiceTestBase {
  private static final String LOGIN =
      "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"billing\""
          + " password=\"%s\";";

  @Test
  void kafkaIsSpokenToOverTlsWithAPasswordThatIsNowhereToBeSeen() throws Exception {
    Path trusted = TestCertificates.make(folder, "broker");
    Path stranger = TestCertificates.make(folder, "stranger");
    int secure = freePort();
    try (EmbeddedKafka broker = secured(secure)) {
      assertThat(broker.bootstrapServers()).doesNotContain(":" + secure);
      Map<String, String> properties =
          Map.of(
              "bootstrap.servers",
              "127.0.0.1:" + secure,
              "security.protocol",
              "SASL_SSL",
              "sasl.mechanism",
              "PLAIN",
              "sasl.jaas.config",
              LOGIN.formatted("planted-kafka-password"),
              "ssl.truststore.type",
              "PEM",
              "ssl.truststore.location",
              trusted.toString());
      prepareTopic(properties);
      Map<String, String> variables = new HashMap<>();
      properties.forEach(
          (name, value) ->
              variables.put(
                  "IDEMBOX_KAFKA_" + name.replace('.', '_').toUpperCase(java.util.Locale.ROOT),
                  value));

      loginOfAPlugin(variables);
      start(variables);
      await().atMost(SOON).until(() -> count("select count(*) from sent") == 1);
      for (String[] command :
          new String[][] {
            {"doctor"},
            {"status", "--json"},
            {"config"},
            {"config", "--json"},
            {"replay", "--dry-run"}
          }) {
        Ran ran = run(variables, command);
        assertThat(ran.code()).as("%s: %s", List.of(command), ran.err()).isZero();
        assertThat(ran.out() + ran.err()).as("%s", List.of(command)).doesNotContain("planted-");
      }
      assertThat(get("/api/status", TOKEN).body()).doesNotContain("planted-");
      stop();
      service = null;

      Map<String, String> wrong = new HashMap<>(variables);
      wrong.put("IDEMBOX_KAFKA_SASL_JAAS_CONFIG", LOGIN.formatted("planted-wrong-password"));
      Map<String, String> untrusted = new HashMap<>(variables);
      untrusted.put("IDEMBOX_KAFKA_SSL_TRUSTSTORE_LOCATION", stranger.toString());
      for (Map<String, String> refused : List.of(wrong, untrusted)) {
        for (String[] command : new String[][] {{"run"}, {"status"}}) {
          Ran ran = run(refused, command);
          assertThat(ran.code())
              .as("%s: %s", List.of(command), ran.err())
              .isEqualTo(ExitCode.SERVER);
          assertThat(ran.out() + ran.err()).as("%s", List.of(command)).doesNotContain("planted-");
        }
      }
    }
  }

  /** It tells the password, which is nowhere else: commands that make no handler find it too. */
  private void loginOfAPlugin(Map<String, String> variables) throws Exception {
    Map<String, String> sources = new HashMap<>(PluginJar.BOOKING);
    sources.put("plugged/Login.java", LOGIN_SOURCE);
    Path plugins = Files.createDirectories(folder.resolve("with-login"));
    PluginJar.write(plugins.resolve("all.jar"), sources);
    Map<String, String> login = new HashMap<>(variables);
    login.put("IDEMBOX_PLUGINS_FOLDER", plugins.toString());
    login.put("IDEMBOX_KAFKA_SASL_CLIENT_CALLBACK_HANDLER_CLASS", "plugged.Login");
    login.put(
        "IDEMBOX_KAFKA_SASL_JAAS_CONFIG",
        "org.apache.kafka.common.security.plain.PlainLoginModule required;");
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    for (String[] command :
        new String[][] {{"rewind", "--to-earliest", "--dry-run"}, {"replay", "--dry-run"}}) {
      Ran ran = run(login, command);
      assertThat(ran.err() + ran.out())
          .as("%s", List.of(command))
          .doesNotContain("Authentication", "plugged.Login");
    }
    assertThat(run(login, "rewind", "--to-earliest", "--dry-run").code()).isZero();
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
  }

  private static final String LOGIN_SOURCE =
      """
      package plugged;
      import java.util.List;
      import java.util.Map;
      import javax.security.auth.callback.*;
      import javax.security.auth.login.AppConfigurationEntry;
      import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
      public final class Login implements AuthenticateCallbackHandler {
        @Override public void configure(Map<String, ?> c, String m, List<AppConfigurationEntry> j) {}
        @Override public void close() {}
        @Override public void handle(Callback[] callbacks) {
          for (Callback each : callbacks) {
            if (each instanceof NameCallback name) { name.setName("billing"); }
            if (each instanceof PasswordCallback word) {
              word.setPassword("planted-kafka-password".toCharArray());
            }
          }
        }
      }
      """;

  private void prepareTopic(Map<String, String> properties) throws Exception {
    try (Admin admin = Admin.create(Map.copyOf(properties))) {
      admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
    }
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.copyOf(properties), new StringSerializer(), new StringSerializer())) {
      ProducerRecord<String, String> record = new ProducerRecord<>(topic, "{\"id\":\"o1\"}");
      record.headers().add("message-id", "m1".getBytes(StandardCharsets.UTF_8));
      producer.send(record).get();
    }
  }

  /** With a listener of its own for strangers; the other two are the broker's. */
  private EmbeddedKafka secured(int port) throws IOException {
    int plain = freePort();
    int controller = freePort();
    String listeners = "PLAINTEXT://127.0.0.1:" + plain + ",SECURE://127.0.0.1:" + port;
    return EmbeddedKafka.builder()
        .property("listeners", listeners + ",CONTROLLER://127.0.0.1:" + controller)
        .property("advertised.listeners", listeners)
        .property("controller.quorum.voters", "1@127.0.0.1:" + controller)
        .property("inter.broker.listener.name", "PLAINTEXT")
        .property(
            "listener.security.protocol.map",
            "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL")
        .property("sasl.enabled.mechanisms", "PLAIN")
        .property(
            "listener.name.secure.plain.sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required"
                + " user_billing=\"planted-kafka-password\";")
        .property("listener.name.secure.ssl.keystore.type", "PEM")
        .property(
            "listener.name.secure.ssl.keystore.certificate.chain",
            Files.readString(folder.resolve("broker.pem")))
        .property(
            "listener.name.secure.ssl.keystore.key", Files.readString(folder.resolve("broker.key")))
        .start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    }
  }
}
