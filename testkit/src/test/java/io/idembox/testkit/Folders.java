package io.idembox.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The temporary folders that this process has now: others on the machine may run tests, too. */
final class Folders {
  private Folders() {}

  static Set<Path> of(String server) {
    String prefix = "idembox-" + server + "-" + ProcessHandle.current().pid() + "-";
    try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return all.filter(p -> p.getFileName().toString().startsWith(prefix))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
