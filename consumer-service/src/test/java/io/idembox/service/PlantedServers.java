package io.idembox.service;

import io.idembox.testkit.EmbeddedKafka;
import io.idembox.testkit.EmbeddedPostgres;
import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.EmbeddedServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Servers that all ask for a secret and give just the rights that the README names, and what knows
 * these secrets.
 */
final class PlantedServers implements AutoCloseable {
  static final String TOKEN = Program.PLANTED + "token-of-the-api";
  static final String POSTGRES = Program.PLANTED + "postgres";
  private static final String REDIS = Program.PLANTED + "redis";
  private static final String KAFKA = Program.PLANTED + "kafka";
  private static final String ROLE = "billing";
  private static final String LOGIN =
      "org.apache.kafka.common.security.plain.PlainLoginModule required ";

  private final EmbeddedServers servers;
  private final int asking;
  private final int plain;

  private PlantedServers(EmbeddedServers servers, int asking, int plain) {
    this.servers = servers;
    this.asking = asking;
    this.plain = plain;
  }

  static PlantedServers start() {
    int asking = freePort();
    int plain = freePort();
    int controller = freePort();
    String listeners = "PLAINTEXT://127.0.0.1:" + plain + ",ASKING://127.0.0.1:" + asking;
    return new PlantedServers(
        EmbeddedServers.start(
            EmbeddedKafka.builder()
                .property("listeners", listeners + ",CONTROLLER://127.0.0.1:" + controller)
                .property("advertised.listeners", listeners)
                .property("controller.quorum.voters", "1@127.0.0.1:" + controller)
                .property("inter.broker.listener.name", "PLAINTEXT")
                .property(
                    "listener.security.protocol.map",
                    "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,ASKING:SASL_PLAINTEXT")
                .property("sasl.enabled.mechanisms", "PLAIN")
                .property(
                    "listener.name.asking.plain.sasl.jaas.config",
                    LOGIN + "user_billing=\"" + KAFKA + "\";")
                .property(
                    "authorizer.class.name",
                    "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("super.users", "User:ANONYMOUS"),
            EmbeddedPostgres.builder().password(POSTGRES),
            EmbeddedRedis.builder().password(REDIS)),
        asking,
        plain);
  }

  EmbeddedPostgres postgres() {
    return servers.postgres();
  }

  /** Gives the consumer's role what the README names, and what its handler needs. */
  void grantAsTheReadmeSays(DataSource database, String more) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("create role " + ROLE + " login password '" + POSTGRES + "'");
      statement.execute(ReadmeGrants.to(ROLE));
      statement.execute(more);
    }
  }

  /** Gives the consumer's user a right on a topic or a group; "*" is each. */
  void allow(ResourceType type, String name, AclOperation operation) throws Exception {
    try (Admin admin = Admin.create(kafka())) {
      admin
          .createAcls(
              List.of(
                  new AclBinding(
                      new ResourcePattern(type, name, PatternType.LITERAL),
                      new AccessControlEntry(
                          "User:billing", "*", operation, AclPermissionType.ALLOW))))
          .all()
          .get();
    }
  }

  /** The broker's other listener, for the test itself. */
  Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", "127.0.0.1:" + plain);
  }

  /** The same as {@link #variables}, for the role that owns the database. */
  Map<String, String> owner(Path folder, String database) throws IOException {
    Map<String, String> owner = new HashMap<>(variables(folder, database));
    owner.put("IDEMBOX_POSTGRES_USER", postgres().user());
    return owner;
  }

  /** Variables with addresses and secrets, some of them in files of this folder. */
  Map<String, String> variables(Path folder, String database) throws IOException {
    Path password = Files.writeString(folder.resolve("postgres-password"), POSTGRES + "\n");
    Path token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
    String url =
        "jdbc:postgresql://%s:%d/%s".formatted(postgres().host(), postgres().port(), database);
    return Map.ofEntries(
        Map.entry("IDEMBOX_POSTGRES_URL", url),
        Map.entry("IDEMBOX_POSTGRES_USER", ROLE),
        Map.entry("IDEMBOX_POSTGRES_PASSWORD_FILE", password.toString()),
        Map.entry("IDEMBOX_PLUGINS_DATA_SOURCE_URL", url),
        Map.entry("IDEMBOX_PLUGINS_DATA_SOURCE_USER", postgres().user()),
        Map.entry("IDEMBOX_PLUGINS_DATA_SOURCE_PASSWORD", POSTGRES),
        Map.entry("IDEMBOX_REDIS_URI", "redis://127.0.0.1:" + servers.redis().port()),
        Map.entry("IDEMBOX_REDIS_PASSWORD", REDIS),
        Map.entry("IDEMBOX_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:" + asking),
        Map.entry("IDEMBOX_KAFKA_SECURITY_PROTOCOL", "SASL_PLAINTEXT"),
        Map.entry("IDEMBOX_KAFKA_SASL_MECHANISM", "PLAIN"),
        Map.entry(
            "IDEMBOX_KAFKA_SASL_JAAS_CONFIG",
            LOGIN + "username=\"billing\" password=\"" + KAFKA + "\";"),
        Map.entry("IDEMBOX_HTTP_TOKEN_FILE", token.toString()));
  }

  static int freePort() {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    servers.close();
  }
}
