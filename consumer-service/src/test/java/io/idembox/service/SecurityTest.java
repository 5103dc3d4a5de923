package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.idembox.testkit.EmbeddedPostgres;
import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.JavaProcess;
import io.idembox.testkit.ServerStartException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** TLS by configuration, rights that suffice, and secrets that are nowhere to be seen. */
final class SecurityTest extends RunningServiceTestBase {
  @Test
  void aRoleThatCannotCreateTablesRunsTheService() throws Exception {
    String role = "service_" + scope.namespace();
    execute("create role " + role + " login password 'planted-service-password'");
    execute(ReadmeGrants.to(role));
    execute("grant insert on ledger to " + role);
    start(
        Map.of(
            "IDEMBOX_POSTGRES_USER",
            role,
            "IDEMBOX_POSTGRES_PASSWORD",
            "planted-service-password"));
    send(0, "m1", "{\"id\":\"o1\"}");
    await().atMost(SOON).until(() -> count("select count(*) from sent") == 1);
    assertThat(count("select has_schema_privilege('" + role + "', 'idembox', 'create')::int"))
        .isZero();
  }

  @Test
  void plantedSecretsAreInNoOutput() throws Exception {
    String role = "planted_" + scope.namespace();
    execute("create role " + role + " superuser login password 'planted-db-password'");
    Map<String, String> secrets = new HashMap<>();
    secrets.put("IDEMBOX_POSTGRES_USER", role);
    secrets.put("IDEMBOX_POSTGRES_PASSWORD", "planted-db-password");
    secrets.put("IDEMBOX_HTTP_TOKEN", "planted-token-planted");
    secrets.put("IDEMBOX_PLUGINS_DATA_SOURCE_PASSWORD", "planted-plugin-password");
    secrets.put("IDEMBOX_KAFKA_SSL_KEYSTORE_PASSWORD", "planted-keystore");
    secrets.put("IDEMBOX_LOGGING_LEVEL", "debug");
    send(0, "m1", "{\"id\":\"o1\"}");
    JavaProcess.Builder builder = process("run");
    secrets.forEach(builder::env);
    try (JavaProcess process = builder.start()) {
      await().atMost(SOON).until(() -> count("select count(*) from ledger") == 1);
      process.terminate();
      process.awaitExit(SOON);
      assertThat(process.output()).isNotEmpty().noneMatch(line -> line.contains("planted-"));
    }
    for (String[] command :
        new String[][] {
          {"config"}, {"config", "--json"}, {"status"}, {"doctor"}, {"effects", "list"}
        }) {
      Ran ran = run(secrets, command);
      assertThat(ran.out() + ran.err()).as("%s", List.of(command)).doesNotContain("planted-");
    }
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().password("planted-right").start();
        EmbeddedRedis redis = EmbeddedRedis.builder().password("planted-right").start()) {
      Map<String, String> wrong = new HashMap<>(secrets);
      wrong.remove("IDEMBOX_LOGGING_LEVEL");
      wrong.put(
          "IDEMBOX_POSTGRES_URL",
          "jdbc:postgresql://%s:%d/postgres".formatted(server.host(), server.port()));
      wrong.put("IDEMBOX_POSTGRES_USER", server.user());
      wrong.put("IDEMBOX_POSTGRES_PASSWORD", "planted-wrong-password");
      wrong.put("IDEMBOX_REDIS_URI", "redis://" + redis.host() + ":" + redis.port());
      wrong.put("IDEMBOX_REDIS_PASSWORD", "planted-wrong-password");
      for (String[] command : new String[][] {{"run"}, {"doctor"}, {"status"}}) {
        Ran ran = run(wrong, command);
        assertThat(ran.code()).as("%s", List.of(command)).isNotZero();
        assertThat(ran.out() + ran.err()).as("%s", List.of(command)).doesNotContain("planted-");
      }
    }
  }

  @Test
  void postgresIsSpokenToOverTlsByConfiguration() throws Exception {
    Path trusted = TestCertificates.make(folder, "server");
    Path stranger = TestCertificates.make(folder, "stranger");
    try (EmbeddedPostgres server = EmbeddedPostgres.start()) {
      encrypted(server);
      String name = server.createDatabase();
      Map<String, String> tls = new HashMap<>();
      tls.put(
          "IDEMBOX_POSTGRES_URL",
          "jdbc:postgresql://%s:%d/%s".formatted(server.host(), server.port(), name));
      tls.put("IDEMBOX_POSTGRES_USER", server.user());
      tls.put("IDEMBOX_POSTGRES_PROPERTIES_SSLMODE", "verify-full");
      tls.put("IDEMBOX_POSTGRES_PROPERTIES_SSLROOTCERT", trusted.toString());
      await().atMost(SOON).until(() -> run(tls, "migrate").code() == 0);
      tls.put("IDEMBOX_POSTGRES_PROPERTIES_SSLROOTCERT", stranger.toString());
      Ran refused = run(tls, "migrate");
      assertThat(refused.code()).isEqualTo(ExitCode.SERVER);
    }
  }

  @Test
  void redisIsSpokenToOverTlsByConfiguration() throws Exception {
    Path trusted = TestCertificates.make(folder, "server");
    Path stranger = TestCertificates.make(folder, "stranger");
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    try (EmbeddedRedis redis = encryptedRedis(port)) {
      assertThat(redis.port()).isPositive();
      Map<String, String> tls = new HashMap<>();
      tls.put("IDEMBOX_REDIS_URI", "rediss://127.0.0.1:" + port);
      tls.put("IDEMBOX_REDIS_TRUSTED_CERTIFICATES", trusted.toString());
      assertThat(run(tls, "doctor").out()).contains("Redis can guard effects");
      tls.put("IDEMBOX_REDIS_TRUSTED_CERTIFICATES", stranger.toString());
      Ran refused = run(tls, "doctor");
      assertThat(refused.code()).isEqualTo(ExitCode.BAD_NEWS);
      assertThat(refused.out()).doesNotContain("Redis can guard effects");
    }
  }

  private EmbeddedRedis encryptedRedis(int port) {
    try {
      return EmbeddedRedis.builder()
          .inMemory()
          .args("--tls-port", "" + port, "--tls-auth-clients", "no")
          .args("--tls-cert-file", folder.resolve("server.pem").toString())
          .args("--tls-key-file", folder.resolve("server.key").toString())
          .args("--tls-ca-cert-file", folder.resolve("server.pem").toString())
          .start();
    } catch (ServerStartException e) {
      assumeThat("true".equals(System.getenv("CI")))
          .as("this redis-server is built without TLS: %s", e.getMessage())
          .isTrue();
      throw e;
    }
  }

  private void encrypted(EmbeddedPostgres server) throws Exception {
    for (String file : new String[] {"pem", "key"}) {
      Path target =
          server.dataDirectory().resolve("server." + (file.equals("pem") ? "crt" : "key"));
      Files.copy(folder.resolve("server." + file), target);
      Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-------"));
      Files.setOwner(target, Files.getOwner(server.dataDirectory()));
    }
    try (Connection connection = server.dataSource("postgres").getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("alter system set ssl = on");
      statement.execute("select pg_reload_conf()");
    }
  }
}
