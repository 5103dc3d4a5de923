package io.idembox.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL cluster in a temporary folder, run as a process in the foreground. */
final class PostgresServer implements PostgresBackend {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final int STATUS_LINE = 7;

  private final TempFolder folder = TempFolder.create("postgres");
  private final Path data = folder.path().resolve("data");
  private final Path home;
  private final RootGuard root;
  private final int port;
  private final Map<String, String> settings;
  private @Nullable ServerProcess process;

  /** Makes the cluster and starts it. A null password trusts everybody on the loopback address. */
  PostgresServer(String user, @Nullable String password, int port, Map<String, String> settings) {
    this.port = port;
    this.settings = Map.copyOf(settings);
    try {
      this.home = PostgresBinaries.home();
      this.root = RootGuard.forFolder(folder.path());
      initialise(user, password);
      start();
    } catch (RuntimeException | Error e) {
      folder.close();
      throw e;
    }
  }

  private void initialise(String user, @Nullable String password) {
    List<String> command =
        new ArrayList<>(List.of(program("initdb"), "-D", data.toString(), "-U", user));
    // --no-sync: a machine that crashes now has lost nothing yet. The server itself runs with
    // fsync.
    command.addAll(List.of("-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"));
    Path secret = folder.path().resolve("password");
    Path log = folder.path().resolve("initdb.log");
    try {
      if (password == null) {
        command.add("--auth=trust");
      } else {
        Files.writeString(secret, password + "\n");
        root.own(secret);
        command.addAll(List.of("--auth=scram-sha-256", "--pwfile=" + secret));
      }
      Process initdb =
          new ProcessBuilder(root.command(command))
              .directory(folder.path().toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      int status = initdb.waitFor();
      Files.deleteIfExists(secret);
      if (status != 0) {
        throw new ServerStartException(
            "PostgreSQL did not start: initdb ended with "
                + status
                + ": "
                + ServerProcess.tail(log));
      }
    } catch (IOException e) {
      throw new ServerStartException("PostgreSQL did not start: initdb: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerStartException("PostgreSQL did not start: interrupted in initdb", e);
    }
  }

  private String program(String name) {
    return home.resolve("bin").resolve(name).toString();
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public Path dataDirectory() {
    return data;
  }

  @Override
  public void start() {
    if (process != null && process.isAlive()) {
      return;
    }
    List<String> command = new ArrayList<>(List.of(program("postgres"), "-D", data.toString()));
    command.addAll(List.of("-p", Integer.toString(port), "-c", "listen_addresses=127.0.0.1"));
    command.addAll(List.of("-c", "unix_socket_directories="));
    settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
    // QUIT is PostgreSQL's immediate shutdown: it leaves no shared memory behind, as SIGKILL would.
    ServerProcess starting =
        ServerProcess.start("PostgreSQL", root.command(command), folder, "QUIT");
    process = starting;
    boolean ended = !Pause.until(START_LIMIT, () -> isReady(starting.pid()) || !starting.isAlive());
    if (ended || !starting.isAlive()) {
      String log = starting.logTail();
      starting.kill();
      throw new ServerStartException("PostgreSQL did not start on port " + port + ": " + log);
    }
  }

  // The postmaster writes its own number and state there; pg_ctl waits in the same way. No
  // connection is used up.
  private boolean isReady(long pid) {
    try {
      List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
      return lines.size() > STATUS_LINE
          && lines.get(0).equals(Long.toString(pid))
          && lines.get(STATUS_LINE).strip().equals("ready");
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void stop() {
    if (process != null) {
      process.stop("INT", STOP_LIMIT); // fast shutdown; TERM would wait for the clients
      process = null;
    }
  }

  @Override
  public void kill() {
    if (process != null) {
      process.kill();
      process = null;
    }
  }

  @Override
  public void close() {
    stop();
    folder.close();
  }
}
