package io.idembox.effect;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A certificate that is its own authority, with its key, as PEM files. */
record Certificate(Path pem, Path key) {
  private static final String SECRET = "changeit";

  /** Made by the JDK's keytool, for the loopback address. */
  static Certificate make(Path folder, String name) {
    try {
      Path store = folder.resolve(name + ".p12");
      Process keytool =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                      "-genkeypair",
                      "-alias",
                      name,
                      "-dname",
                      "CN=" + name,
                      "-keyalg",
                      "EC",
                      "-groupname",
                      "secp256r1",
                      "-ext",
                      "bc:c=ca:true",
                      "-ext",
                      "san=ip:127.0.0.1",
                      "-keystore",
                      store.toString(),
                      "-storepass",
                      SECRET))
              .redirectErrorStream(true)
              .start();
      String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!Files.exists(store)) {
        throw new IllegalStateException("keytool made no certificate: " + said);
      }
      KeyStore keys = KeyStore.getInstance(store.toFile(), SECRET.toCharArray());
      return new Certificate(
          write(
              folder.resolve(name + ".pem"), "CERTIFICATE", keys.getCertificate(name).getEncoded()),
          write(
              folder.resolve(name + ".key"),
              "PRIVATE KEY",
              keys.getKey(name, SECRET.toCharArray()).getEncoded()));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path write(Path file, String kind, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, body));
  }
}
