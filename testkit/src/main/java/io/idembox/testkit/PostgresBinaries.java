package io.idembox.testkit;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * The PostgreSQL programs of this platform, unpacked once per machine into a folder named for their
 * content.
 */
final class PostgresBinaries {
  private static @Nullable Path unpacked;

  private PostgresBinaries() {}

  /**
   * The folder that holds {@code bin/postgres}.
   *
   * @throws ServerStartException if the class path has no programs for this platform or they cannot
   *     be unpacked
   */
  static synchronized Path home() {
    if (unpacked != null && Files.exists(unpacked)) {
      return unpacked;
    }
    ServerLogging.quieten();
    try {
      byte[] archive = archive();
      String digest =
          HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive), 0, 8);
      Path home = Caches.folder().resolve("postgres-" + digest);
      if (!Files.exists(home)) {
        unpackTo(home, archive);
      }
      unpacked = home;
      return home;
    } catch (IOException | NoSuchAlgorithmException | IllegalStateException e) {
      throw new ServerStartException(
          "PostgreSQL did not start: its programs cannot be unpacked: " + e.getMessage(), e);
    }
  }

  private static byte[] archive() throws IOException {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String platform =
        system.contains("mac") ? "Darwin" : system.contains("win") ? "Windows" : "Linux";
    String machine = System.getProperty("os.arch", "");
    String architecture = machine.equals("amd64") ? "x86_64" : machine;
    try (InputStream in =
        DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(platform, architecture)) {
      return in.readAllBytes();
    }
  }

  // Other processes may do the same at the same time: whoever renames first wins, and nobody sees
  // half a folder.
  private static void unpackTo(Path home, byte[] archive) throws IOException {
    try (TempFolder folder = TempFolder.create("unpack")) {
      Path fresh = Files.createDirectory(folder.path().resolve("postgres"));
      try (TarArchiveInputStream tar =
          new TarArchiveInputStream(
              new BufferedInputStream(
                  new XZInputStream(new ByteArrayInputStream(archive)), 1 << 16))) {
        for (TarArchiveEntry entry = tar.getNextEntry();
            entry != null;
            entry = tar.getNextEntry()) {
          unpack(tar, entry, fresh);
        }
      }
      Files.move(fresh, home, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      if (!Files.exists(home)) {
        throw e;
      }
    }
  }

  private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path to)
      throws IOException {
    Path path = to.resolve(entry.getName()).normalize();
    if (!path.startsWith(to)) {
      throw new IOException("The archive's entry " + entry.getName() + " points outside");
    }
    if (entry.isDirectory()) {
      Files.createDirectories(path);
      return;
    }
    Files.createDirectories(path.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
    } else if (entry.isLink()) {
      Files.createLink(path, to.resolve(entry.getLinkName()).normalize());
    } else {
      Files.copy(tar, path);
      if ((entry.getMode() & 0100) != 0 && !path.toFile().setExecutable(true, false)) {
        throw new IOException("Cannot make " + path + " executable");
      }
    }
  }
}
