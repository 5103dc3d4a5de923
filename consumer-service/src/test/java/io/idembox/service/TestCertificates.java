package io.idembox.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** Certificates that are their own authority, made by the JDK's keytool. */
final class TestCertificates {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private TestCertificates() {}

  /**
   * Writes {@code NAME.pem}, the certificate of 127.0.0.1, and {@code NAME.key}.
   *
   * @return the certificate
   */
  static Path make(Path folder, String name) throws Exception {
    Path store = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-keyalg",
                "EC",
                "-ext",
                "bc:c=ca:true",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-keystore",
                store.toString(),
                "-storepass",
                String.valueOf(PASSWORD))
            .redirectErrorStream(true)
            .start();
    byte[] said = keytool.getInputStream().readAllBytes();
    assertThat(keytool.waitFor()).as(new String(said, StandardCharsets.UTF_8)).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
    pem(folder.resolve(name + ".key"), "PRIVATE KEY", keys.getKey(name, PASSWORD).getEncoded());
    return pem(
        folder.resolve(name + ".pem"), "CERTIFICATE", keys.getCertificate(name).getEncoded());
  }

  private static Path pem(Path file, String kind, byte[] der) throws Exception {
    return Files.writeString(
        file,
        "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
            .formatted(kind, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)));
  }
}
