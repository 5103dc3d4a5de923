package io.idembox.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs programs that refuse to run as root.
 *
 * <p>As root they get a user namespace of their own, in which they are nobody though the files are
 * still theirs; where the kernel or a container forbids that, they run as the user {@code nobody},
 * to whom the folder is given.
 */
final class RootGuard {
  private static final String NOBODY = "65534";

  private enum Way {
    AS_IS,
    NAMESPACE,
    NOBODY
  }

  private static final Way WAY = choose();

  private RootGuard() {}

  static RootGuard forFolder(Path folder) {
    RootGuard guard = new RootGuard();
    guard.own(folder);
    return guard;
  }

  private static Way choose() {
    if (!"0".equals(output(List.of("id", "-u")))) {
      return Way.AS_IS;
    }
    String inNamespace = output(List.of("unshare", "-U", "id", "-u"));
    return inNamespace.isEmpty() || inNamespace.equals("0") ? Way.NOBODY : Way.NAMESPACE;
  }

  /** The command, wrapped so that it does not run as root. */
  List<String> command(List<String> command) {
    List<String> wrapped =
        new ArrayList<>(
            switch (WAY) {
              case AS_IS -> List.<String>of();
              case NAMESPACE -> List.of("unshare", "-U");
              case NOBODY ->
                  List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups");
            });
    wrapped.addAll(command);
    return wrapped;
  }

  /** Lets such a command read and write the file or folder. */
  void own(Path path) {
    if (WAY == Way.NOBODY) {
      output(List.of("chown", NOBODY + ":" + NOBODY, path.toString()));
    }
  }

  /** What the command printed; empty if it failed or is not there. */
  private static String output(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String out =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return process.waitFor() == 0 ? out : "";
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
