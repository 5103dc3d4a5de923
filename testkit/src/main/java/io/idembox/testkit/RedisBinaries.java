package io.idembox.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;

/**
 * Finds a {@code redis-server} to run: a recent one on the PATH, or the 6.2 that comes with the
 * class path.
 */
final class RedisBinaries {
  /** From here on a script may be allowed to write when the memory is full. */
  static final int RECENT = 7;

  private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.(\\d+\\.\\d+)");

  record Binary(Path path, int major, String version) {}

  private RedisBinaries() {}

  /**
   * The program to run.
   *
   * @param bundledOnly not the PATH's
   * @param atLeast the lowest major version that will do
   * @throws ServerStartException if there is none
   */
  static Binary find(boolean bundledOnly, int atLeast) {
    if (!bundledOnly) {
      Optional<Binary> onPath = onPath().filter(b -> b.major() >= Math.max(RECENT, atLeast));
      if (onPath.isPresent()) {
        return onPath.get();
      }
    }
    Binary bundled = bundled();
    if (bundled.major() < atLeast) {
      String there = onPath().map(b -> "version " + b.version()).orElse("none");
      throw new ServerStartException(
          "Redis did not start: version %d or later is asked for, the PATH has %s and the bundled one is %s: %s"
              .formatted(atLeast, there, bundled.version(), "install a newer redis-server"));
    }
    return bundled;
  }

  /** The {@code redis-server} on the PATH, of whatever version. */
  static Optional<Binary> onPath() {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      Path path = Path.of(folder.isEmpty() ? "." : folder, "redis-server");
      if (Files.isExecutable(path) && !Files.isDirectory(path)) {
        return Optional.of(inspect(path));
      }
    }
    return Optional.empty();
  }

  private static synchronized Binary bundled() {
    try (TempFolder folder = TempFolder.create("unpack")) {
      Path unpacked =
          ExecutableProvider.newJarResourceProvider(folder.path().toFile()).get().toPath();
      Path kept = Caches.folder().resolve(unpacked.getFileName());
      if (!Files.exists(kept)) {
        Files.move(unpacked, kept, StandardCopyOption.ATOMIC_MOVE);
      }
      return inspect(kept);
    } catch (IOException | RuntimeException e) {
      throw new ServerStartException(
          "Redis did not start: the bundled program cannot be used: " + e.getMessage(), e);
    }
  }

  private static Binary inspect(Path path) {
    try {
      Process process =
          new ProcessBuilder(List.of(path.toString(), "--version"))
              .redirectErrorStream(true)
              .start();
      String said =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      Matcher version = VERSION.matcher(said);
      if (!version.find()) {
        throw new ServerStartException("Redis did not start: " + path + " --version says: " + said);
      }
      int major = Integer.parseInt(version.group(1));
      return new Binary(path, major, major + "." + version.group(2));
    } catch (IOException e) {
      throw new ServerStartException(
          "Redis did not start: " + path + " cannot be run: " + e.getMessage(), e);
    }
  }
}
