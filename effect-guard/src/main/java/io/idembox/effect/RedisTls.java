package io.idembox.effect;

import io.lettuce.core.SslOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Whom to trust, and who we are, over TLS.
 *
 * @param trusted PEM file of the authorities; null for the JVM's
 * @param certificate PEM file of our own certificate; null for none
 * @param key PEM file of its key, PKCS #8
 */
record RedisTls(@Nullable Path trusted, @Nullable Path certificate, @Nullable Path key) {
  static final RedisTls DEFAULT = new RedisTls(null, null, null);

  RedisTls {
    readable("trustedCertificates", trusted);
    readable("clientCertificate", certificate);
    readable("clientCertificate", key);
  }

  private static void readable(String option, @Nullable Path file) {
    if (file != null && !Files.isReadable(file)) {
      throw new IllegalArgumentException(
          "RedisEffectStore has %s %s: there is no such file that can be read"
              .formatted(option, file));
    }
  }

  SslOptions options() {
    SslOptions.Builder builder = SslOptions.builder().jdkSslProvider();
    if (trusted != null) {
      builder.trustManager(trusted.toFile());
    }
    if (certificate != null && key != null) {
      builder.keyManager(certificate.toFile(), key.toFile(), new char[0]);
    }
    return builder.build();
  }
}
