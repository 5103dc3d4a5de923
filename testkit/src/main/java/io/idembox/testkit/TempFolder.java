package io.idembox.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary folder and the processes that work in it, both gone after {@link #close()} or after
 * the end of this JVM.
 *
 * <p>A shell that reads our pipe stands by: when the JVM ends, by SIGKILL too, the pipe closes, and
 * the shell stops the processes and removes the folder. A JVM shutdown hook would not run then, and
 * would take the servers away from other hooks that still use them.
 */
final class TempFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TempFolder.class);

  // $1: the folder. A process is signalled only while its working directory is in there: its number
  // may be another's
  // by now. Where /proc is missing the number is trusted.
  private static final String REAPER =
      """
      trap '' HUP INT TERM
      pids=
      while read -r word pid signal; do
        case $word in
          add) pids="$pids $pid:$signal" ;;
          drop) pids=$(printf '%s' "$pids" | sed "s/ $pid:[A-Z]*//") ;;
          done) exit 0 ;;
        esac
      done
      ours() {
        [ -d /proc/self ] || return 0
        case "$(readlink "/proc/$1/cwd")" in "$folder"|"$folder"/*) return 0 ;; *) return 1 ;; esac
      }
      folder=$1
      for p in $pids; do ours "${p%%:*}" && kill -s "${p##*:}" "${p%%:*}"; done
      for i in 1 2 3 4 5 6 7 8 9 10; do
        alive=
        for p in $pids; do kill -0 "${p%%:*}" && ours "${p%%:*}" && alive=1; done
        [ -z "$alive" ] && break
        sleep 0.3
      done
      for p in $pids; do ours "${p%%:*}" && kill -s KILL "${p%%:*}"; done
      rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }
      """;

  private static final long PID = ProcessHandle.current().pid();

  private final Path path;
  private final boolean ours;
  private final @Nullable Process reaper;
  private final @Nullable Writer toReaper;
  private boolean closed;

  private TempFolder(Path path, boolean ours, @Nullable Process reaper) {
    this.path = path;
    this.ours = ours;
    this.reaper = reaper;
    this.toReaper = reaper == null ? null : reaper.outputWriter(StandardCharsets.UTF_8);
  }

  /** Makes {@code idembox-NAME-PID-RANDOM} in the system's temporary folder. */
  static TempFolder create(String name) {
    try {
      Path path = Files.createTempDirectory("idembox-" + name + "-" + PID + "-").toRealPath();
      TempFolder folder = new TempFolder(path, true, startReaper(path));
      if (folder.reaper == null) {
        Runtime.getRuntime().addShutdownHook(new Thread(folder::close, "idembox-temp-folder"));
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot make a temporary folder for " + name, e);
    }
  }

  private static @Nullable Process startReaper(Path path) throws IOException {
    if (!Files.isExecutable(Path.of("/bin/sh"))) {
      return null;
    }
    return new ProcessBuilder(List.of("/bin/sh", "-c", REAPER, "idembox-reaper", path.toString()))
        .directory(path.getRoot().toFile())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  Path path() {
    return path;
  }

  /** The process is to be stopped by {@code signal} if this JVM ends first. */
  void watch(long pid, String signal) {
    tellReaper("add " + pid + " " + signal);
  }

  /** The process has ended. */
  void unwatch(long pid) {
    tellReaper("drop " + pid);
  }

  private synchronized void tellReaper(String line) {
    if (toReaper == null || closed) {
      return;
    }
    try {
      toReaper.write(line + "\n");
      toReaper.flush();
    } catch (IOException e) {
      // Somebody ended it. What it would have done, close() does.
      LOG.warn("The process that stands by to remove {} is gone", path, e);
    }
  }

  /** Removes the folder; the processes in it must have ended. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (ours) {
      deleteTree(path);
    }
    closed = true;
    if (reaper != null && toReaper != null) {
      try (toReaper) {
        toReaper.write("done\n");
      } catch (IOException e) {
        reaper.destroyForcibly();
      }
      try {
        reaper.waitFor(2, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void deleteTree(Path root) {
    // A broker's or server's last threads may still touch files: try again before giving up.
    for (int i = 0; ; i++) {
      try {
        Files.walkFileTree(root, DELETE);
        return;
      } catch (NoSuchFileException e) {
        if (!Files.exists(root)) {
          return;
        }
      } catch (IOException e) {
        if (i >= 20) {
          throw new UncheckedIOException("Cannot remove " + root, e);
        }
      }
      Pause.millis(50);
    }
  }

  private static final SimpleFileVisitor<Path> DELETE =
      new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
            throws IOException {
          Files.deleteIfExists(file);
          return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
          if (e instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
          }
          throw e;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e)
            throws IOException {
          if (e != null) {
            throw e;
          }
          Files.deleteIfExists(folder);
          return FileVisitResult.CONTINUE;
        }
      };
}
