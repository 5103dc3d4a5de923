package io.idembox.service;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A real pooler in transaction mode in front of a server that trusts the loopback address. */
final class PgBouncer implements AutoCloseable {
  private final Path folder;
  private final Process process;
  private final int port;

  private PgBouncer(Path folder, Process process, int port) {
    this.folder = folder;
    this.process = process;
    this.port = port;
  }

  /** Where the program is; empty on a machine without it. */
  static Optional<Path> program() {
    return Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer")
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts it.
   *
   * @param servers how many sessions it opens to the server, for all of its clients together
   */
  static PgBouncer start(int serverPort, String user, int servers) throws IOException {
    Path folder =
        Files.createTempDirectory(
            "pgbouncer",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    int port = freePort();
    Path settings = folder.resolve("pgbouncer.ini");
    Files.writeString(
        settings,
        """
        [databases]
        * = host=127.0.0.1 port=%d user=%s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        user = nobody
        pool_mode = transaction
        default_pool_size = %d
        max_client_conn = 200
        query_wait_timeout = 20
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(serverPort, user, port, servers)
            // It takes the user only from root, and refuses to run as that.
            .replace(
                System.getProperty("user.name").equals("root") ? "\0" : "user = nobody\n", ""));
    Process process =
        new ProcessBuilder(List.of(program().orElseThrow().toString(), settings.toString()))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    PgBouncer pooler = new PgBouncer(folder, process, port);
    Awaitility.await("pgbouncer answers; its log is in " + folder)
        .atMost(Duration.ofSeconds(20))
        .until(pooler::answers);
    return pooler;
  }

  int port() {
    return port;
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    for (String file : List.of("pgbouncer.ini", "log")) {
      Files.deleteIfExists(folder.resolve(file));
    }
    Files.deleteIfExists(folder);
  }

  private boolean answers() {
    if (!process.isAlive()) {
      throw new IllegalStateException("pgbouncer has ended; its log is in " + folder);
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
