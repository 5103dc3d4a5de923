package io.idembox.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copies of a stopped server's data directory, as a restore from a base backup makes them. */
final class DataDirectories {
  private DataDirectories() {}

  static void copy(Path from, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(from)) {
      files = walk.toList();
    }
    for (Path file : files) {
      Path target = to.resolve(from.relativize(file).toString());
      if (Files.isDirectory(file)) {
        Files.createDirectories(target);
      } else {
        Files.copy(
            file, target, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
      }
      // The server refuses a directory that is not its own, and it may run as another user.
      Files.setAttribute(target, "unix:uid", Files.getAttribute(file, "unix:uid"));
      Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(file));
    }
  }

  static void empty(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(directory)) {
      files = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      if (!file.equals(directory)) {
        Files.delete(file);
      }
    }
  }
}
