package io.idembox.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A Redis server run as a process in the foreground. */
final class RedisServer implements RedisBackend {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private final TempFolder folder = TempFolder.create("redis");
  private final RedisSettings settings;
  private final RedisBinaries.Binary binary;
  private @Nullable ServerProcess process;

  /** Starts it. */
  RedisServer(RedisSettings settings) {
    this.settings = settings;
    try {
      this.binary = RedisBinaries.find(settings.bundled(), settings.atLeast());
      start();
    } catch (RuntimeException | Error e) {
      folder.close();
      throw e;
    }
  }

  @Override
  public int port() {
    return settings.port();
  }

  @Override
  public void start() {
    if (process != null && process.isAlive()) {
      return;
    }
    Path data = settings.dataFolder() == null ? folder.path() : settings.dataFolder();
    List<String> command = new ArrayList<>(List.of(binary.path().toString()));
    command.addAll(
        List.of(
            "--port", Integer.toString(port()), "--bind", "127.0.0.1", "--dir", data.toString()));
    command.addAll(settings.arguments());
    ServerProcess starting = ServerProcess.start("Redis", command, folder, "TERM");
    process = starting;
    boolean ended = !Pause.until(START_LIMIT, () -> answers() || !starting.isAlive());
    if (ended || !starting.isAlive()) {
      String log = starting.logTail();
      starting.kill();
      throw new ServerStartException(
          "Redis %s did not start on port %d: %s".formatted(binary.version(), port(), log));
    }
  }

  // While it loads its file it answers LOADING, an error; without a password it answers NOAUTH,
  // which will do.
  private boolean answers() {
    try (RespConnection connection = new RespConnection("127.0.0.1", port())) {
      return connection.command("PING").equals("PONG");
    } catch (TestkitException e) {
      return String.valueOf(e.getMessage()).contains("NOAUTH");
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void stop() {
    if (process != null) {
      process.stop("TERM", STOP_LIMIT);
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
