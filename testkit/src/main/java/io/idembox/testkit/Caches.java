package io.idembox.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where unpacked programs stay between runs: unpacking PostgreSQL takes longer than starting it.
 */
final class Caches {
  private Caches() {}

  /** {@code idembox-testkit-USER} in the system's temporary folder. */
  static Path folder() throws IOException {
    String user = System.getProperty("user.name", "unknown").replaceAll("[^A-Za-z0-9._-]", "_");
    return Files.createDirectories(
        Path.of(System.getProperty("java.io.tmpdir"), "idembox-testkit-" + user));
  }
}
