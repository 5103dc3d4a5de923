package io.idembox.effect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.testkit.EmbeddedRedis;
import io.idembox.testkit.ServerStartException;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis over TLS, with an authority of its own and a user of its access list. */
final class RedisTlsTest {
  @TempDir private static Path folder;

  private static Certificate server;
  private static Certificate stranger;
  private static Certificate client;
  private static EmbeddedRedis redis;
  private static int tlsPort;
  private static int mutualPort;
  private static EmbeddedRedis mutual;

  @BeforeAll
  static void start() throws IOException {
    server = Certificate.make(folder, "server");
    stranger = Certificate.make(folder, "stranger");
    client = Certificate.make(folder, "client");
    tlsPort = freePort();
    mutualPort = freePort();
    try {
      redis = tls(tlsPort, "no", EmbeddedRedis.builder().user("guard", "s3cret", "~{*", "+@all"));
      mutual = tls(mutualPort, "yes", EmbeddedRedis.builder());
    } catch (ServerStartException e) {
      boolean without = String.valueOf(e.getMessage()).contains("tls-port");
      if (without && !"true".equals(System.getenv("CI"))) {
        assumeTrue(false, "this redis-server is built without TLS: " + e.getMessage());
      }
      throw e;
    }
  }

  private static EmbeddedRedis tls(int port, String clients, EmbeddedRedis.Builder builder) {
    return builder
        .inMemory()
        .args("--tls-port", Integer.toString(port), "--tls-auth-clients", clients)
        .args("--tls-cert-file", server.pem().toString(), "--tls-key-file", server.key().toString())
        .args("--tls-ca-cert-file", client.pem().toString())
        .start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @AfterAll
  static void close() {
    if (redis != null) {
      redis.close();
    }
    if (mutual != null) {
      mutual.close();
    }
  }

  private static String uri(String password) {
    return "rediss://guard:" + password + "@127.0.0.1:" + tlsPort;
  }

  @Test
  void aUserIsServedOverTlsWhereTheAuthorityIsTrusted() {
    try (RedisEffectStore store =
        RedisEffectStore.builder(uri("s3cret")).trustedCertificates(server.pem()).connect()) {
      runsOnce(store);
    }
  }

  @Test
  void aServerThatAsksForACertificateGetsOne() {
    String uri = "rediss://127.0.0.1:" + mutualPort;
    try (RedisEffectStore store =
        RedisEffectStore.builder(uri)
            .trustedCertificates(server.pem())
            .clientCertificate(client.pem(), client.key())
            .connect()) {
      runsOnce(store);
    }
    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(() -> RedisEffectStore.builder(uri).trustedCertificates(server.pem()).connect())
        .withMessageContaining("127.0.0.1:" + mutualPort);
  }

  private static void runsOnce(RedisEffectStore store) {
    try (EffectGuard guard = EffectGuard.builder(store).namespace("tls").build()) {
      EffectKey key = EffectKey.of("mail").id("1");
      assertThat(guard.once(EffectPolicy.defaults(), key, String.class, attempt -> "sent"))
          .isEqualTo("sent");
      assertThat(guard.once(EffectPolicy.defaults(), key, String.class, attempt -> "again"))
          .isEqualTo("sent");
    }
  }

  @Test
  void anAuthorityThatIsNotTrustedIsRefusedAndNoPasswordIsTold() {
    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(
            () ->
                RedisEffectStore.builder(uri("s3cret"))
                    .trustedCertificates(stranger.pem())
                    .connect())
        .withMessageContaining("127.0.0.1:" + tlsPort)
        .withMessageContaining("TLS")
        .withMessageContaining("certification path")
        .withMessageContaining("trustedCertificates")
        .matches(e -> tellsNot(e, "s3cret"));
    // The JVM's authorities do not know it either.
    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(() -> RedisEffectStore.connect(uri("s3cret")))
        .withMessageContaining("trustedCertificates")
        .matches(e -> tellsNot(e, "s3cret"));
  }

  @Test
  void aWrongPasswordOverTlsIsDeniedAndNotTold() {
    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(
            () ->
                RedisEffectStore.builder(uri("wr0ng")).trustedCertificates(server.pem()).connect())
        .matches(e -> e.kind() == EffectStoreException.Kind.DENIED)
        .matches(e -> tellsNot(e, "wr0ng"));
  }

  @Test
  void aPortThatDoesNotSpeakTlsIsNamedAsAskedForOverTls() {
    assertThatExceptionOfType(EffectStoreException.class)
        .isThrownBy(
            () ->
                RedisEffectStore.builder("rediss://guard:s3cret@127.0.0.1:" + redis.port())
                    .trustedCertificates(server.pem())
                    .connect())
        .withMessageContaining("127.0.0.1:" + redis.port())
        .withMessageContaining("over TLS")
        .matches(e -> tellsNot(e, "s3cret"));
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                RedisEffectStore.builder(uri("s3cret"))
                    .trustedCertificates(folder.resolve("missing.pem")))
        .withMessageContaining("trustedCertificates")
        .withMessageContaining("missing.pem");
  }

  private static boolean tellsNot(Throwable e, String secret) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (String.valueOf(t.getMessage()).contains(secret)) {
        return false;
      }
    }
    return true;
  }
}
