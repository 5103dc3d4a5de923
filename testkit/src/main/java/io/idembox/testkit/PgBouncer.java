package io.idembox.testkit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A PgBouncer in transaction mode on a free loopback port, in front of a PostgreSQL on the loopback
 * address that asks nobody for a password: each transaction of a client may run in another session
 * of the server.
 *
 * <p>The program is the machine's (Debian: {@code pgbouncer}); it does not come with the class
 * path. The process ends with {@link #close()}, or when this JVM does. Thread-safe.
 */
public final class PgBouncer implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final TempFolder folder;
  private final ServerProcess process;
  private final int port;

  private PgBouncer(TempFolder folder, ServerProcess process, int port) {
    this.folder = folder;
    this.process = process;
    this.port = port;
  }

  /** Where the program is; empty on a machine without it. */
  public static Optional<Path> program() {
    return Stream.of("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer")
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts it, and returns when it takes connections.
   *
   * @param serverPort of the PostgreSQL
   * @param user whom all sessions at the server are of, whatever clients say
   * @param servers how many sessions it opens to the server, for all of its clients together
   * @throws ServerStartException if it does not start, or {@link #program} is not there
   */
  public static PgBouncer start(int serverPort, String user, int servers) {
    Path program =
        program()
            .orElseThrow(
                () ->
                    new ServerStartException(
                        "No pgbouncer on this machine: install the package pgbouncer"));
    TempFolder folder = TempFolder.create("pgbouncer");
    try {
      int port = FreePorts.next();
      Path settings = folder.path().resolve("pgbouncer.ini");
      Files.writeString(
          settings, settings(serverPort, requireNonNull(user, "user"), servers, port));
      // As root it becomes another user, who must be able to read them.
      Files.setPosixFilePermissions(folder.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
      // KILL: it has nothing to write, and newer ones wait for their clients when asked to end.
      ServerProcess process =
          ServerProcess.start(
              "pgbouncer", List.of(program.toString(), settings.toString()), folder, "KILL");
      PgBouncer pooler = new PgBouncer(folder, process, port);
      pooler.awaitAnswer();
      return pooler;
    } catch (IOException e) {
      folder.close();
      throw new UncheckedIOException("pgbouncer's settings cannot be written", e);
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private void awaitAnswer() {
    if (!Pause.until(LIMIT, () -> !process.isAlive() || answers()) || !process.isAlive()) {
      String log = process.logTail();
      process.kill();
      throw new ServerStartException("pgbouncer did not start: " + log);
    }
  }

  private static String settings(int serverPort, String user, int servers, int port) {
    // It takes a user to become only from root, and refuses to run as that.
    String becomes = "root".equals(System.getProperty("user.name")) ? "user = nobody\n" : "";
    return """
        [databases]
        * = host=127.0.0.1 port=%d user=%s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = %d
        max_client_conn = 200
        query_wait_timeout = 20
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(serverPort, user, port, servers)
        + becomes;
  }

  /** The port that clients connect to, on the loopback address. */
  public int port() {
    return port;
  }

  /** Ends it; its clients' connections end too. Idempotent. */
  @Override
  public void close() {
    process.kill();
    folder.close();
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }
}
