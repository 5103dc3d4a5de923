package io.idembox.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A {@code redis-server} that runs as a Sentinel and watches one master. */
final class SentinelProcess implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

  private final TempFolder folder = TempFolder.create("sentinel");
  private final int port = FreePorts.next();
  private final String master;
  private final @Nullable String password;
  private final ServerProcess process;

  /**
   * Starts one.
   *
   * @param serverPassword of master and replica; null for none
   * @param password of the Sentinels; null for none
   */
  SentinelProcess(
      String master, int masterPort, @Nullable String serverPassword, @Nullable String password) {
    this.master = master;
    this.password = password;
    try {
      // A Sentinel writes what it learns into its configuration, so it takes a file.
      Path config =
          Files.writeString(
              folder.path().resolve("sentinel.conf"),
              """
              port %1$d
              bind 127.0.0.1
              dir %4$s
              sentinel monitor %2$s 127.0.0.1 %3$d 2
              sentinel down-after-milliseconds %2$s 1000
              sentinel failover-timeout %2$s 3000
              """
                      .formatted(port, master, masterPort, folder.path())
                  + (serverPassword == null
                      ? ""
                      : "sentinel auth-pass " + master + " " + serverPassword + "\n")
                  + (password == null
                      ? ""
                      : "requirepass " + password + "\nsentinel sentinel-pass " + password + "\n"));
      process =
          ServerProcess.start(
              "Sentinel",
              List.of(
                  RedisBinaries.find(false, 1).path().toString(), config.toString(), "--sentinel"),
              folder,
              "TERM");
      if (!Pause.until(START_LIMIT, () -> masterPort().isPresent() || !process.isAlive())
          || !process.isAlive()) {
        String log = process.logTail();
        process.kill();
        throw new ServerStartException(
            "A Sentinel did not start on port %d: %s".formatted(port, log));
      }
    } catch (IOException e) {
      folder.close();
      throw new UncheckedIOException(e);
    } catch (RuntimeException | Error e) {
      folder.close();
      throw e;
    }
  }

  int port() {
    return port;
  }

  /** Where this Sentinel says the master is; empty if it does not answer. */
  OptionalInt masterPort() {
    String[] address = ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", master).split("\n", -1);
    return address.length < 2 ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(address[1]));
  }

  /** Whether it knows of all Sentinels, and of replicas that could take over. */
  boolean seesAll(int sentinels, int replicas) {
    String[] facts = ask("SENTINEL", "MASTER", master).split("\n", -1);
    return fact(facts, "num-other-sentinels").equals(Integer.toString(sentinels - 1))
        && fact(facts, "num-slaves").equals(Integer.toString(replicas))
        && fact(facts, "flags").equals("master")
        && ask("SENTINEL", "REPLICAS", master).contains("\nmaster-link-status\nok\n");
  }

  private static String fact(String[] namesAndValues, String name) {
    for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
      if (namesAndValues[i].equals(name)) {
        return namesAndValues[i + 1];
      }
    }
    return "";
  }

  /** Starts a failover; false if the Sentinel cannot now. */
  boolean failover() {
    return ask("SENTINEL", "FAILOVER", master).equals("OK");
  }

  private String ask(String... words) {
    try (RespConnection connection = new RespConnection("127.0.0.1", port)) {
      if (password != null) {
        connection.command("AUTH", password);
      }
      return connection.command(words);
    } catch (IOException | TestkitException e) {
      return "";
    }
  }

  @Override
  public void close() {
    process.stop("TERM", STOP_LIMIT);
    folder.close();
  }
}
